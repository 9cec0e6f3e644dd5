import CommandLineTool
import Glibc

exit(runTool(Array(CommandLine.arguments.dropFirst())))
