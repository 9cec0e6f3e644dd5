import CommandLineTool
import CommandSupport
import Glibc
import Linux

exit(OwnProgram.unreadableWord.map(refuse) ?? runTool(OwnProgram.words))
