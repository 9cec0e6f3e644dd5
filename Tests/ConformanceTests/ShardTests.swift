import Basics
import Testing

@testable import Conformance

@Suite struct ShardTests {
    private static let part = Selection.Shard("2/4").map(ShardChoice.part)

    @Test(
        arguments: [
            ("2/4", part), ("auto", .automatic(of: nil)), ("auto/4", .automatic(of: 4)), ("auto/0", nil),
            ("auto/", nil), ("auto/-1", nil), ("auto/99999999999999999999", nil), ("Auto", nil), ("automatic", nil),
            ("0/4", nil), ("", nil),
        ] as [(String, ShardChoice?)])
    func `A part is chosen by number, or by the environment`(text: String, choice: ShardChoice?) {
        #expect(ShardChoice(text) == choice)
    }

    private static let slurm = [
        "SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "9",
        "SLURM_ARRAY_TASK_STEP": "2", "SLURM_ARRAY_TASK_COUNT": "5",
    ]

    private static func shard(_ variables: [String: String], of count: Int? = nil) throws -> String {
        "\(try Selection.Shard(of: count) { variables[$0] ?? "" })"
    }

    @Test(
        arguments: [
            (["JOB_COMPLETION_INDEX": "0"], 5, "1/5"), (["JOB_COMPLETION_INDEX": "4"], 5, "5/5"),
            (["JOB_COMPLETION_INDEX": "1", "LUBDUB_SHARD_COUNT": "3"], nil, "2/3"),
            (["PARALLEL_SEQ": "1", "PARALLEL_JOBSLOT": "4"], 8, "1/8"), (["PARALLEL_SEQ": "8"], 8, "8/8"),
            (slurm, nil, "3/5"), (slurm, 5, "3/5"), (slurm.merging(["SLURM_ARRAY_TASK_ID": "9"]) { $1 }, nil, "5/5"),
            (["SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "2"], nil, "1/2"),
            (["LUBDUB_SHARD_INDEX": "2", "LUBDUB_SHARD_COUNT": "3"], nil, "3/3"),
            // What the user sets decides.
            (["LUBDUB_SHARD_INDEX": "2", "LUBDUB_SHARD_COUNT": "3", "PARALLEL_SEQ": "1"], nil, "3/3"),
            (["JOB_COMPLETION_INDEX": "0", "PARALLEL_SEQ": ""], 5, "1/5"),
        ] as [([String: String], Int?, String)])
    func `The environment numbers the parts`(variables: [String: String], count: Int?, shard: String) throws {
        #expect(try Self.shard(variables, of: count) == shard)
    }

    @Test(
        arguments: [
            (
                [:], nil,
                "found no number of this job in LUBDUB_SHARD_INDEX, JOB_COMPLETION_INDEX (Kubernetes), SLURM_ARRAY_TASK_ID (Slurm), PARALLEL_SEQ (GNU parallel)"
            ),
            (["JOB_COMPLETION_INDEX": "0"], nil, "the number of jobs is missing: use --shard auto/N"),
            (["LUBDUB_SHARD_INDEX": "0"], nil, "the number of jobs is missing"),
            (["JOB_COMPLETION_INDEX": "5"], 5, "JOB_COMPLETION_INDEX is 5, but 5 jobs that start at 0"),
            (["PARALLEL_SEQ": "0"], 5, "PARALLEL_SEQ is 0, but 5 jobs that start at 1"),
            (["PARALLEL_SEQ": "a\u{1B}"], 5, #"PARALLEL_SEQ must be a whole number, not "a\u001b""#),
            (["PARALLEL_SEQ": "-1"], 5, "PARALLEL_SEQ must be a whole number"),
            (["PARALLEL_SEQ": "99999999999999999999"], 5, "PARALLEL_SEQ must be a whole number"),
            (
                ["PARALLEL_SEQ": "1", "JOB_COMPLETION_INDEX": "0"], 5,
                "JOB_COMPLETION_INDEX (Kubernetes) and PARALLEL_SEQ (GNU parallel): set LUBDUB_SHARD_INDEX"
            ),
            // One task of an array that runs again: without this error, it would run all cases.
            (
                ["SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "3", "SLURM_ARRAY_TASK_COUNT": "1"], 5,
                "--shard auto/5, but SLURM_ARRAY_TASK_COUNT is 1: to run one part again, use --shard I/N"
            ),
            (slurm.merging(["LUBDUB_SHARD_COUNT": "4"]) { $1 }, nil, "LUBDUB_SHARD_COUNT is 4, but"),
            (slurm.merging(["SLURM_ARRAY_TASK_MAX": "20"]) { $1 }, nil, "without gaps"),
            (slurm.merging(["SLURM_ARRAY_TASK_ID": "4"]) { $1 }, nil, "without gaps"),
            (["LUBDUB_SHARD_INDEX": "0", "LUBDUB_SHARD_COUNT": "0"], nil, "the number of jobs is missing"),
        ] as [([String: String], Int?, String)])
    func `An environment that does not number the parts is an error`(
        variables: [String: String], count: Int?, message: String
    ) {
        let error = #expect(throws: Obstacle.self) { try Self.shard(variables, of: count) }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }
}
