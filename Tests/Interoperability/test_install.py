"""An installed program finds its scenarios by name, has manual pages, and completes words in shells."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import termios
import time
import unittest

from harness import LUBDUB, ROOT

INSTALLED = [
    'bin/lubdub', 'lib/lubdub/liblubdubtime.so', 'share/man/man1/lubdub.1', 'share/man/man1/lubdub-run.1', 'share/bash-completion/completions/lubdub',
    'share/fish/vendor_completions.d/lubdub.fish', 'share/zsh/site-functions/_lubdub', 'share/lubdub/README.md',
    'share/lubdub/LICENSE', 'share/lubdub/SECURITY.md',
    'share/lubdub/scenarios/resting.json', 'share/lubdub/scenarios/devices/polar_h10.json',
    'share/lubdub/schema/scenario.schema.json', 'share/lubdub/Documentation/install.md', 'share/lubdub/python/pyproject.toml']

# Prints the completions of the words $1..., the last of which is completed.
BASH = r'''
source "$COMPLETIONS"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_lubdub lubdub "${@: -1}" "${@: -2:1}"
printf '%s\n' "${COMPREPLY[@]}"
'''
# The words, and some of their completions.  The last is in the folder with the files notes.json and other.txt.
COMPLETED = [
    (['lubdub', 'mo'], ['monitor']),
    (['lubdub', 'run', '--se'], ['--set', '--seed', '--seeds']),
    (['lubdub', 'run', '--speed', ''], ['auto', 'max']),
    (['lubdub', 'run', '--color', 'a'], ['always', 'auto']),
    (['lubdub', 'run', 'devices/polar_h'], ['devices/polar_h10', 'devices/polar_h7']),
    (['lubdub', 'serve', 'rest'], ['resting']),
    (['lubdub', 'validate', 'note'], ['notes.json']),
    (['lubdub', 'serve', '--trace', 'o'], ['other.txt']),
    (['lubdub', 'completions', ''], ['bash', 'fish', 'zsh']),
    (['lubdub', 'manual', 'contr'], []),
    (['lubdub', 'help', 'rad'], ['radios']),
]
EQUALS = (['lubdub', 'run', '--speed', '=', 'm'], ['max'])


# What completes the words that begin with their first letter; those with a hyphen are completed from another beginning.
ODD = ['a $(touch pwned) b', 'c`touch pwned`', 'd"quotes\'s', 'e\nline feed', 'f$HOME;touch pwned', 'g\\back&(x)*', '-h']
# How each shell starts, with the script $1; its function writes the words of a command line, each with a NUL, to $WORDS.
SHELLS = {
    'bash': (['bash', '--norc', '-i'], """PS1=; source {script}; bind 'set bell-style none' 'set enable-bracketed-paste off'
lubdub() { if [ "$1" = list ]; then command lubdub "$@"; else printf '%s\\0' "$@" >part; mv part "$WORDS"; fi; }
echo rea""dy
"""),
    'zsh': (['zsh', '-f', '-i'], """PROMPT=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source {script}
lubdub() { if [ "$1" = list ]; then command lubdub "$@"; else printf '%s\\0' "$@" >part; mv part "$WORDS"; fi; }
print rea""dy
"""),
    'fish': (['fish', '--no-config', '-i'], """source {script}
function lubdub; if test "$argv[1]" = list; command lubdub $argv; else; printf '%s\\0' $argv >part; mv part $WORDS; end; end
echo rea""dy
"""),
}


def needs(program):
    return unittest.skipUnless(shutil.which(program), f'{program} is not installed; Tools/setup package installs it')


class InstallTests(unittest.TestCase):
    maxDiff = None
    limit = 60

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.prefix = cls.folder / 'prefix'
        subprocess.run([ROOT / 'Tools/install', LUBDUB, cls.prefix], check=True, timeout=120)
        cls.program = cls.prefix / 'bin/lubdub'
        cls.place = cls.folder / 'elsewhere'
        cls.place.mkdir()
        (cls.place / 'notes.json').write_text('{}')
        (cls.place / 'other.txt').write_text('')
        cls.environment = {'PATH': f'{cls.prefix}/bin:/usr/bin:/bin', 'HOME': str(cls.place), 'LC_ALL': 'C.UTF-8'}

    def run_here(self, *words, program=None, **environment):
        return subprocess.run(
            [program or self.program, *map(str, words)], cwd=self.place, env=self.environment | environment,
            capture_output=True, text=True, timeout=60)

    def prints(self, *words):
        done = self.run_here(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ''), words)
        return done.stdout

    def test_everything_is_there_and_only_the_program_is_executable(self):
        files = {str(path.relative_to(self.prefix)): path for path in self.prefix.rglob('*') if path.is_file()}
        self.assertLessEqual(set(INSTALLED), set(files))
        self.assertEqual([name for name, path in files.items() if os.access(path, os.X_OK)], ['bin/lubdub'])
        kept = {str(path.relative_to(ROOT)) for path in (ROOT / 'scenarios').rglob('*.*')}
        self.assertEqual({name.removeprefix('share/lubdub/') for name in files if '/scenarios/' in name}, kept)

    def test_links_lead_to_installed_files(self):
        share = self.prefix / 'share/lubdub'
        for page in share.rglob('*.md'):
            for link in re.findall(r'\]\(([^)#\s]+)', page.read_text()):
                is_elsewhere = '://' in link or 'Examples' in link  # examples are built in a checkout
                self.assertTrue(is_elsewhere or (page.parent / link).exists(), f'{page}: {link}')

    def test_the_list_has_each_scenario_suite_and_folder(self):
        rows = [json.loads(line) for line in self.prints('list', '--json').splitlines()]
        by_name = {row['name']: row for row in rows}
        self.assertEqual(by_name['resting']['kind'], 'scenario')
        self.assertEqual(by_name['recovery']['kind'], 'folder')
        self.assertEqual(by_name['recovery']['scenarios'], len(list((ROOT / 'scenarios/recovery').glob('*.json'))))
        scenarios = [row for row in rows if row['kind'] == 'scenario']
        for row in scenarios:
            self.assertEqual(row['title'], json.loads(pathlib.Path(row['path']).read_text()).get('name', ''))
        self.assertEqual(self.prints('list', '--quiet').split(), [row['name'] for row in rows])
        self.assertRegex(self.prints('list'), rf'(?m)^resting +{by_name["resting"]["title"]}$')

    def test_names_stand_for_installed_scenarios_in_every_command(self):
        path = self.prefix / 'share/lubdub/scenarios/resting.json'
        self.assertIn('pass', self.prints('run', 'resting', '--only', '*resting', '--repeat', '1'))
        self.assertEqual(len(self.prints('run', 'recovery', '--list').splitlines()),
                         len(list((ROOT / 'scenarios/recovery').glob('*.json'))))
        self.assertIn('of virtual time', self.prints('serve', 'polar_h10', '--quiet', '--speed', 'max', '--for', '2s'))
        self.assertEqual(self.prints('validate', 'resting'), f'{path}: no problems\n')
        self.assertIn('pass', self.prints('check', 'resting', '--only', 'GATT/SR/GAD/BV-01-C'))
        self.prints('serve', 'resting', '--quiet', '--speed', 'max', '--for', '2s', '--events', 'log.jsonl')
        for options in [[], ['--scenario', 'resting']]:
            done = self.run_here('replay', 'log.jsonl', *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('"lubdub": 1', done.stdout)

    def test_an_unknown_or_ambiguous_name_is_an_error(self):
        for words, message in [
                (['run', 'restin'], 'no file and no installed scenario is named "restin" (did you mean "resting"?)'),
                (['serve', 'recovery'], '"recovery" is a folder of scenarios'),
                (['run', 'silence'], '"silence" names several scenarios; write one of clients/silence, recovery/silence'),
                (['run', 'restin.json'], 'restin.json:1:1: LD0113: no such file or folder')]:
            done = self.run_here(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ''))
            self.assertIn(message, done.stderr)

    def test_a_file_precedes_an_installed_scenario(self):
        (self.place / 'resting').mkdir()
        self.addCleanup((self.place / 'resting').rmdir)
        self.assertIn('this folder contains no scenario', self.run_here('run', 'resting').stderr)

    def test_the_variable_names_another_folder(self):
        done = self.run_here('list', LUBDUB_SHARE=self.folder / 'nowhere')
        self.assertEqual(done.returncode, 3)
        self.assertIn('LUBDUB_SHARE', done.stderr)
        other = self.folder / 'other/scenarios'
        other.mkdir(parents=True)
        (other / 'mine.json').write_bytes((ROOT / 'scenarios/resting.json').read_bytes())
        self.assertEqual(self.run_here('list', '--quiet', LUBDUB_SHARE=other.parent).stdout, 'mine\n')

    def test_a_checkout_has_its_own_scenarios(self):
        done = self.run_here('validate', 'resting', program=LUBDUB)
        self.assertEqual(done.stdout, f'{ROOT}/scenarios/resting.json: no problems\n')
        done = subprocess.run([LUBDUB, 'validate', 'resting'], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout, 'scenarios/resting.json: no problems\n')

    def pages(self):
        found = sorted((self.prefix / 'share/man/man1').glob('*.1'))
        self.assertEqual(len(found), 1 + len(self.prints('manual', '--list').split()))
        return found

    @needs('mandoc')
    def test_manual_pages_are_clean(self):
        done = subprocess.run(['mandoc', '-T', 'lint', '-W', 'warning', *self.pages()], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ''))

    @needs('man')
    def test_manual_pages_are_shown_without_warnings(self):
        for page in self.pages():
            done = subprocess.run(
                ['man', '--warnings', '--local-file', page], capture_output=True, text=True, timeout=20,
                env=self.environment | {'MANPAGER': 'cat', 'MANWIDTH': '80'})
            self.assertEqual((done.returncode, done.stderr), (0, ''), page)
            self.assertIn('SYNOPSIS', done.stdout)

    def complete(self, words):
        scripts = self.prefix / 'share/bash-completion/completions/lubdub'
        done = self.run_here('-c', BASH, 'bash', *words, program='/bin/bash', COMPLETIONS=str(scripts))
        self.assertEqual((done.returncode, done.stderr), (0, ''), words)
        return done.stdout.split()

    def test_bash_completes(self):
        for words, completions in [*COMPLETED, EQUALS]:
            with self.subTest(words):
                self.assertEqual(sorted(self.complete(words)), sorted(completions))
        commands = set(self.prints('manual', '--list').split())
        self.assertLessEqual(commands, set(self.complete(['lubdub', ''])))

    @needs('fish')
    def test_fish_completes(self):
        script = self.prefix / 'share/fish/vendor_completions.d/lubdub.fish'
        for words, completions in COMPLETED:
            line = ' '.join(words)
            done = self.run_here('--no-config', '-c', f'source {script}; complete -C "{line}"', program='fish')
            self.assertEqual(done.returncode, 0, done.stderr)
            found = [row.split('\t')[0] for row in done.stdout.splitlines()]
            with self.subTest(words):
                self.assertLessEqual(set(completions), set(found))

    @needs('zsh')
    def test_zsh_completes(self):
        folder = self.prefix / 'share/zsh/site-functions'
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        process = subprocess.Popen(
            ['zsh', '-f', '-i'], stdin=slave, stdout=slave, stderr=slave, cwd=self.place, start_new_session=True,
            env=self.environment | {'TERM': 'dumb', 'COLUMNS': '200'})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        os.close(slave)
        os.write(master, f'PROMPT=; unsetopt zle_bracketed_paste; fpath=({folder} $fpath)\n'.encode())
        os.write(master, b'autoload -Uz compinit; compinit -u -D; zstyle ":completion:*" list-prompt ""; print rea""dy\n')
        self.read_until(master, b'ready')
        for typed, completed in [
                ('lubdub mo', 'nitor'), ('lubdub run --spe', 'ed'), ('lubdub run --speed m', 'ax'),
                ('lubdub serve devices/polar_h1', '0'), ('lubdub validate note', 's.json'), ('lubdub completions z', 'sh')]:
            with self.subTest(typed):
                os.write(master, f'{typed}\t'.encode())
                self.read_until(master, (typed + completed).encode())
                os.write(master, b'\x15\n')  # Ctrl-U: clear the line

    def test_bash_completes_odd_names_as_one_word(self):
        self.completes_odd_names('bash', self.prefix / 'share/bash-completion/completions/lubdub')

    @needs('fish')
    def test_fish_completes_odd_names_as_one_word(self):
        self.completes_odd_names('fish', self.prefix / 'share/fish/vendor_completions.d/lubdub.fish')

    @needs('zsh')
    def test_zsh_completes_odd_names_as_one_word(self):
        self.completes_odd_names('zsh', self.prefix / 'share/zsh/site-functions/_lubdub')

    def completes_odd_names(self, shell, script):
        scenario = (ROOT / 'scenarios/resting.json').read_bytes()
        with tempfile.TemporaryDirectory() as name:
            place = pathlib.Path(name)
            for folder in ['empty', 'files', 'share/scenarios', 'dash', 'none/scenarios']:
                (place / folder).mkdir(parents=True)
            for odd in ODD:
                (place / 'share/scenarios' / f'{odd}.json').write_bytes(scenario)
                (place / 'files' / odd).mkdir()
            (place / 'dash/-h').write_bytes(scenario)
            odd = [word for word in ODD if word != '-h']
            # Names of scenarios, of folders as operands and as values, and those with a hyphen.
            for folder, share, typed, words in [
                    *(('empty', 'share', f'run {word[0]}', ['run', word]) for word in odd),
                    ('empty', 'share', 'run sc', ['run', 'scenarios/-h']),
                    *(('files', 'none', f'validate {word[0]}', ['validate', f'{word}/']) for word in odd),
                    *(('files', 'none', f'run --keep {word[0]}', ['run', '--keep', f'{word}/']) for word in odd),
                    # fish offers -h, a word that needs no quotes but is an option.
                    *((('dash', 'none', 'serve --trace ', ['serve', '--trace', './-h']),
                       ('dash', 'none', 'validate ', ['validate', './-h'])) if shell != 'fish' else ())]:
                with self.subTest(typed, folder=folder):
                    found = self.completed(shell, script, typed, place / folder, place / share)
                    self.assertEqual([word.removesuffix('/') for word in found], [word.removesuffix('/') for word in words])
                    self.assertEqual(list(place.rglob('pwned')), [])

    def completed(self, shell, script, typed, folder, share):
        """The words of the command line that Tab completes."""
        written = folder / 'written'
        command, setup = SHELLS[shell]
        master, slave = pty.openpty()
        process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # fish needs a controlling terminal
            env=self.environment | {'TERM': 'dumb', 'COLUMNS': '200', 'LUBDUB_SHARE': str(share), 'WORDS': str(written)})
        os.close(slave)
        try:
            os.write(master, setup.replace('{script}', str(script)).encode())
            self.read_until(master, b'ready')
            os.write(master, f'lubdub {typed}\t\n'.encode())
            until = time.monotonic() + 20
            while not written.exists():
                self.assertLess(time.monotonic(), until, typed)
                if select.select([master], [], [], 0.02)[0]:
                    os.read(master, 4096)
            return written.read_bytes().decode().split('\0')[:-1]
        finally:
            process.kill()
            process.wait()
            os.close(master)
            written.unlink(missing_ok=True)

    def read_until(self, descriptor, text, limit=20):
        found, until = b'', time.monotonic() + limit
        while text not in re.sub(rb'\x1b\[[^a-zA-Z]*[a-zA-Z]|[\r\x07]', b'', found):
            rest = until - time.monotonic()
            self.assertTrue(rest > 0 and select.select([descriptor], [], [], rest)[0], f'{text}: {found}')
            found += os.read(descriptor, 4096)


if __name__ == '__main__':
    unittest.main()
