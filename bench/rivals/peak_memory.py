"""Runs a command without its output and prints the peak of its resident memory in bytes.

A process starts with the peak of the one that launched it: hence a launcher of its own, which has not loaded anything large.
"""
import os
import sys

child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
_, status, usage = os.wait4(child, 0)
print(1024 * usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
