// Links the library of the report page, which dyad::dyad does not contain.
#include <dyad/report/page.h>

#include <cstdio>
#include <exception>

int main() {
  try {
    std::printf("%zu bytes\n", dyad::report_page("{}", "empty").size());
  } catch (const std::exception& error) {  // built without plotly.js
    std::printf("%s\n", error.what());
  }
}
