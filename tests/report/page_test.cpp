// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/page.h"

#include <gtest/gtest.h>

#include "dyad/report/internal/page_files.h"

namespace dyad {
namespace {

TEST(ReportPage, HoldsTheDocumentAndTheTitleSafely) {
  if (internal::plotting_script().empty()) GTEST_SKIP() << "this build has no plotly.js";
  const std::string page = report_page(
      R"({"a":"</script><script>{{title}}","terms":{"i":[0],"weights":[[1]]}})", "<b> & {{document}}");
  EXPECT_NE(page.find(R"({"a":"\u003c/script>\u003cscript>{{title}}","terms":{"i":[0]}})"),
            std::string::npos);
  EXPECT_NE(page.find("<title>&lt;b&gt; &amp; {{document}}"), std::string::npos);
  EXPECT_EQ(page.find("{{style}}"), std::string::npos);
  EXPECT_EQ(page.find("{{script}}"), std::string::npos);
  EXPECT_NE(page.find("plotly.js v"), std::string::npos);
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
}

}  // namespace
}  // namespace dyad
