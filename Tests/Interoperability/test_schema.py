"""The committed schema and `lubdub validate` agree on valid files, and on invalid ones as far as a schema can express.

jsonschema is the reference.  The note in each broken file is its problem: position, code and path.
"""

import json
import subprocess
import unittest

import jsonschema

from harness import LUBDUB, ROOT

BROKEN = ROOT / 'Tests' / 'ScenarioLanguageTests' / 'Broken'
FIXTURES = ROOT / 'Tests' / 'ScenarioLanguageTests' / 'Fixtures'
SCENARIOS = ROOT / 'scenarios'
WARNING = ': warning LD0191: '

# The broken files that a schema accepts, by the reason.
UNSEEN = {
    'a value is of the type and in the range of a format beside it': [
        'custom_uint8', 'custom_sint16', 'custom_uint16_curve', 'custom_number_is_text', 'custom_text_is_number',
        'custom_octets_odd', 'custom_octets_long', 'custom_descriptor_octets', 'advertised_format', 'advertised_range'],
    'a value is of the type and in the range of a thing elsewhere': [
        'custom_set_beyond', 'custom_set_text', 'ecg_notify_sample', 'heart_rate_set_location', 'information_set_long',
        'information_set_number', 'thermometer_set_interval', 'thermometer_set_type'],
    'a thing is there, and can be done so with': [
        'custom_include_unknown', 'custom_not_notified', 'expect_truth_of_written', 'ecg_lead_off_elsewhere', 'ecg_notify_lead', 'ecg_set_samples',
        'fitness_set_today', 'heart_rate_notify_contact', 'heart_rate_set_intervals', 'information_not_there', 'pmd_notify_value',
        'thermometer_set_intermediate', 'att_error_of_client', 'central_advertises', 'central_as_target',
        'connect_of_peripheral', 'connect_to_central', 'connect_to_nobody', 'raw_of_device', 'raw_pdu_of_part',
        'stall_of_service', 'unconfirmed_of_strap', 'advertised_text', 'advertised_truth', 'advertised_unknown',
        'stream_of_no_samples', 'truth_of_misspelt_line', 'truth_of_printed_fresh', 'truth_of_printed_object'],
    'a curve stays within a range': ['feed_high_list', 'thermometer_hot_curve'],
    'a number with a unit is within a range': [
        'ecg_rate_fraction', 'ecg_rate_high', 'ecg_rate_none', 'feed_period', 'thermometer_period', 'advertised_update', 'stream_without_time'],
    'text has octets': ['information_long', 'raw_long', 'raw_pdu_long'],
    'things exclude each other': [
        'custom_configuration_unsent', 'custom_declaration', 'custom_descriptor_configuration', 'custom_properties_written',
        'pmd_lead', 'security_bonded_without_bonds', 'advertised_octets_and_fields', 'advertised_twice'],
    'a 2902 has no value, and other descriptors have one': ['custom_descriptor_no_value'],
    'names stand in a list once': ['custom_include_twice', 'custom_repeated_permission', 'custom_repeated_property'],
    'a descriptor is of the length of its type, and of some types there is one': [
        'custom_format_number', 'custom_format_octets', 'custom_two_configurations', 'custom_two_descriptions'],
    'an expectation has time to be decided in': [
        'expect_rate_window_long', 'expect_since_end', 'expect_until_before_since', 'expect_until_over'],
    'an expectation can fail, and can pass': [
        'expect_count_any', 'expect_count_between', 'expect_count_negative', 'expect_percentile_none',
        'expect_rate_between'],
    'a part is a number': [
        'expect_below_of_lists', 'expect_mean_of_lists', 'expect_mean_of_octets', 'expect_mode_of_booleans',
        'expect_sum_of_text'],
    'ids are not given twice': ['custom_duplicate_id', 'custom_duplicate_uuid', 'two_services_of_a_kind'],
    'something is said': ['fitness_empty', 'advertised_no_value', 'advertised_nothing', 'advertised_unchanged'],
    'a clock has an end': ['skip_beyond', 'skip_often'],
    'handles rise': [
        'handle_back', 'handle_of_declaration', 'handle_of_generic_access', 'handle_of_other_service', 'handle_of_service',
        'handle_of_service_again', 'handle_of_value', 'handle_twice', 'handle_on_configuration', 'handle_on_descriptors', 'handles_at_their_end', 'handles_behind_their_end'],
}


def problems(path):
    """The lines of `lubdub validate` about a file, without warnings, and its exit status."""
    done = subprocess.run(
        [LUBDUB, 'validate', str(path.relative_to(ROOT))], cwd=ROOT, capture_output=True, text=True, timeout=60)
    lines = (done.stdout + done.stderr).splitlines()
    return [line for line in lines if ': LD0' in line and WARNING not in line], done.returncode


class SchemaTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((ROOT / 'schema' / 'scenario.schema.json').read_text())
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        cls.validator = validator(schema)

    def faults(self, path):
        return [error.message[:200] for error in self.validator.iter_errors(json.loads(path.read_text()))]

    def test_all_schemas_are_printed_as_committed(self):
        for option, name in [('--schema', 'scenario'), ('--report-schema', 'report'), ('--problem-schema', 'problem')]:
            done = subprocess.run(
                [LUBDUB, 'validate', option], cwd=ROOT, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            self.assertEqual(done.stdout, (ROOT / 'schema' / f'{name}.schema.json').read_text())

    def test_every_supported_scenario_is_accepted_by_both(self):
        paths = sorted(SCENARIOS.rglob('*.json'))
        self.assertGreater(len(paths), 3)
        for path in paths:
            with self.subTest(path.name):
                self.assertEqual(self.faults(path), [])
                said, status = problems(path)
                self.assertEqual(status, 0)
                self.assertEqual(said, [])

    def test_every_supported_example_is_accepted_by_both(self):
        paths = sorted(FIXTURES.glob('*.json'))
        self.assertEqual(len(paths), 13)
        for path in paths:
            with self.subTest(path.name):
                self.assertEqual(self.faults(path), [])
                self.assertEqual(problems(path)[0], [])

    def test_every_broken_file_is_rejected_at_the_position_of_its_problem(self):
        paths = sorted(BROKEN.glob('*.json'))
        self.assertGreater(len(paths), 70)
        for path in paths:
            with self.subTest(path.name):
                said, status = problems(path)
                self.assertEqual(len(said), 1, said)
                self.assertIn(f'{path.name}:{json.loads(path.read_text())["note"]}', said[0])
                self.assertEqual(status, 2)

    def test_the_schema_rejects_every_broken_file_that_it_can(self):
        unseen = {name for names in UNSEEN.values() for name in names}
        accepted = {path.stem for path in BROKEN.glob('*.json') if not self.faults(path)}
        self.assertEqual(accepted, unseen)


if __name__ == '__main__':
    unittest.main()
