import CommandLineTool
import CommandSupport
import Glibc
import Linux

exit(runTool(OwnProgram.words))
