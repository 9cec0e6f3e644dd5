"""The packages of `make test-package`: reproducible, clean, and they run on a Debian without Swift."""

import hashlib
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from harness import LUBDUB, ROOT
from test_system import APP
from test_virtual_time import confined

PACKAGES = os.environ.get('LUBDUB_PACKAGES')

# What programs of BlueZ need besides what `pip` installs.
DEBIAN = 'python3-venv,python3-bleak,python3-dbus,python3-gi,python3-pyqt6.qtbluetooth,bluez,bluez-tools'
PYTHON = 'bumble', 'bleak', 'bleak-retry-connector', 'simplepyble', 'bleakheart', 'pycycling'
ABOVE_DEBIAN = 'gatt==0.2.7', 'bluezero==0.9.1', 'bleak-py==0.1.20'
# An ordinary user: first a Python developer with bleak, whose app forgets to subscribe again; then it does not, in virtual
# time, as a user who may do nothing, without some system calls; then the tests of programs.
PROGRAMS = f'''
set -e
apt-get install --yes /tmp/lubdub.deb
mkdir /tmp/newcomer
mv /tmp/app.py /tmp/newcomer
chown 1000:1000 /tmp/newcomer
cd /tmp/newcomer
become="setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/tmp/newcomer XDG_CACHE_HOME=/tmp/cache LUBDUB=/usr/bin/lubdub"
install="install --quiet --no-index --find-links /tmp/wheels"
$become sh -c "python3 -m venv . && bin/pip $install bleak"
unshare --net $become bin/python -c 'import os; print(f"newcomer {{os.getuid()}}")'
status=0
unshare --net $become lubdub run clients/comes_back --bpm-only --client 'bin/python app.py' --system bluez || status=$?
echo "newcomer status $status"
chmod 755 /tmp/confined
strictly="setpriv --reuid=65534 --regid=65534 --clear-groups /tmp/confined"
unshare --net $strictly lubdub run clients/two_octets --bpm-only --client 'bin/python app.py again' --system bluez --speed max
bin/pip $install {" ".join(PYTHON)}
python3 -m venv --system-site-packages /tmp/cache/lubdub/programs
/tmp/cache/lubdub/programs/bin/pip $install --no-deps {" ".join(ABOVE_DEBIAN)}
unshare --net $become bin/python /tmp/Tests/side_by_side.py /tmp/Tests/Interoperability test_system_clients.py
'''


def finish(*words, **options):
    """The output of a command, which must succeed."""
    done = subprocess.run(
        list(map(str, words)), **({'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT, 'text': True, 'timeout': 280} | options))
    if done.returncode != 0:
        raise AssertionError(f'{words}: status {done.returncode}: {done.stdout}')
    return done.stdout


@unittest.skipUnless(PACKAGES, 'LUBDUB_PACKAGES names no folder of packages; make test-package does')
class PackageTests(unittest.TestCase):
    limit = 300

    @classmethod
    def setUpClass(cls):
        cls.packages = (ROOT / PACKAGES).resolve()
        cls.deb, = cls.packages.glob('lubdub_*.deb')
        cls.tarball, = cls.packages.glob('lubdub-*.tar.xz')
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)

    def test_two_builds_have_the_same_octets_even_elsewhere(self):
        # Another folder, time, time zone and umask.
        copy = self.folder / 'copy of the checkout'
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns('.build*', '.venv', '__pycache__', '.git'))
        moment = finish('git', 'log', '-1', '--format=%ct', cwd=ROOT).strip()
        environment = os.environ | {'SOURCE_DATE_EPOCH': moment, 'TZ': 'Asia/Kolkata'}
        for kind, file in [('deb', self.deb), ('dist', self.tarball)]:
            finish('bash', '-c', f'umask 077; exec Tools/package {kind} {LUBDUB} "{self.folder}/again"', cwd=copy, env=environment)
            self.assertEqual(self.digest(self.folder / 'again' / file.name), self.digest(file), kind)

    def digest(self, path):
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def test_the_checksums_are_right(self):
        self.assertEqual(finish('sha256sum', '--check', 'SHA256SUMS', cwd=self.packages).count(': OK\n'), 2)

    def test_it_names_its_licence_and_a_maintainer_who_is_the_same_in_every_checkout(self):
        self.assertRegex(finish('dpkg-deb', '--field', self.deb, 'Maintainer'), r'^The authors of Lubdub <')
        finish('dpkg-deb', '--extract', self.deb, self.folder / 'licensed')
        copyright = (self.folder / 'licensed/usr/share/doc/lubdub/copyright').read_text()
        self.assertIn('Files: *\nCopyright: 2026 the authors of Lubdub\nLicense: Apache-2.0\n', copyright)
        self.assertNotIn('unstated', copyright)
        self.assertEqual((self.folder / 'licensed/usr/share/lubdub/LICENSE').read_bytes(), (ROOT / 'LICENSE').read_bytes())

    def test_it_recommends_what_only_the_page_needs(self):
        self.assertNotIn('microhttpd', finish('dpkg-deb', '--field', self.deb, 'Depends'))
        self.assertIn('libmicrohttpd12', finish('dpkg-deb', '--field', self.deb, 'Recommends'))

    def test_its_description_is_that_of_the_help(self):
        description = finish('dpkg-deb', '--field', self.deb, 'Description').split('\n', 1)[1]
        self.assertEqual(description.split(), finish(LUBDUB, '--help').split('\n\n')[1].split())

    def test_the_program_has_no_path_of_this_machine(self):
        finish('dpkg-deb', '--extract', self.deb, self.folder / 'root')
        octets = (self.folder / 'root/usr/bin/lubdub').read_bytes()
        for path in {str(ROOT), str(pathlib.Path.home() / 'lubdub')}:
            self.assertNotIn(path.encode(), octets)

    @unittest.skipUnless(shutil.which('lintian'), 'lintian is not installed; Tools/setup package installs it')
    def test_lintian_reports_no_error(self):
        finish('lintian', '--allow-root', '--fail-on', 'error', self.deb)

    def test_its_owner_is_root_and_nobody_else_can_write(self):
        rows = [line.split() for line in finish('dpkg-deb', '--contents', self.deb).splitlines()]
        for row in rows:
            self.assertEqual(row[1], 'root/root')
            self.assertRegex(row[0], r'^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x)$')
        with tarfile.open(self.tarball) as tar:
            for member in tar:
                self.assertEqual((member.uid, member.gid, member.mode & 0o022), (0, 0, 0), member.name)

    def test_the_tarball_runs_where_it_is_unpacked(self):
        place = self.folder / 'unpacked'
        place.mkdir()
        finish('tar', '--extract', '--file', self.tarball, '--directory', place, '--strip-components', '1')
        environment = {'PATH': '/usr/bin:/bin'}
        self.assertIn('pass', finish(place / 'bin/lubdub', 'run', 'resting', '--repeat', '1', cwd=place, env=environment))

    @unittest.skipUnless(shutil.which('mmdebstrap') and os.geteuid() == 0, 'needs mmdebstrap and root')
    def test_it_is_installed_on_a_fresh_debian_and_runs(self):
        root = self.folder / 'debian.tar'
        commands = ['apt-get install --yes /tmp/lubdub.deb', 'lubdub run resting --repeat 1', 'lubdub list --quiet',
                    '! command -v swift', 'dpkg --verify lubdub', 'apt-get remove --yes lubdub',
                    '! [ -e /usr/share/lubdub ]']
        hooks = [f'--customize-hook=upload {self.deb} /tmp/lubdub.deb',
                 f'--customize-hook=chroot "$1" sh -c "{" && ".join(commands)}"']
        printed = finish('mmdebstrap', '--variant=apt', '--mode=root', *hooks, 'bookworm', root)
        self.assertIn('pass', printed)
        self.assertIn('devices/polar_h10\n', printed)

    @unittest.skipUnless(shutil.which('mmdebstrap') and os.geteuid() == 0, 'needs mmdebstrap and root')
    def test_programs_of_bluez_find_a_strap_there_as_an_ordinary_user_without_network(self):
        wheels = self.folder / 'wheels'
        pip = sys.executable, '-m', 'pip', 'wheel', '--quiet', '--disable-pip-version-check', '--wheel-dir', wheels
        finish(*pip, *(f'{name}=={importlib.metadata.version(name)}' for name in PYTHON))
        finish(*pip, '--no-deps', *ABOVE_DEBIAN)
        (self.folder / 'app.py').write_text(APP)
        (self.folder / 'programs.sh').write_text(PROGRAMS)
        hooks = [f'--customize-hook=upload {file} /tmp/{name}' for file, name in [
            (self.deb, 'lubdub.deb'), (self.folder / 'app.py', 'app.py'), (self.folder / 'programs.sh', 'programs.sh'),
            (confined(self.folder), 'confined')]]
        hooks += [f'--customize-hook=copy-in {wheels} {ROOT}/Tests /tmp', '--customize-hook=chroot "$1" sh /tmp/programs.sh']
        printed = finish(
            'mmdebstrap', '--variant=apt', '--mode=root', '--dpkgopt=force-unsafe-io', f'--include={DEBIAN}', *hooks, 'bookworm',
            '/dev/null', timeout=900)
        self.assertIn('newcomer 1000\n', printed)
        self.assertIn('newcomer status 1\n', printed)
        self.assertRegex(printed, r'[0-9]+ measurements in [0-9.]+ s of virtual time\npass +')
        self.assertRegex(printed, r'fail +returns .*\n +expected  subscription to strap/heart_rate')
        self.assertRegex(printed, r'[0-9]+ tests in [0-9]+ s: all passed\n')


if __name__ == '__main__':
    unittest.main()
