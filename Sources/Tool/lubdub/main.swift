import CommandLineTool
import CommandSupport
import Glibc

exit(runTool(OwnProgram.words))
