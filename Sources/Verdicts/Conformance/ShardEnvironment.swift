package import Basics

extension Selection.Shard {
    /// The part of this job, one of `count` if that is given, by the environment variables of the program that started it.
    ///
    /// `variable` returns the value of a variable, which is empty when it is not set.
    package init(of count: Int?, variable: @escaping (String) -> String) throws(Obstacle) {
        let environment = ShardEnvironment(variable: variable)
        let starter = try JobStarter.one(in: environment)
        let all = try starter.count(given: count, in: environment)
        (part, self.count) = (try starter.index(of: all, in: environment) + 1, all)
    }
}

private struct ShardEnvironment {
    let variable: (String) -> String

    func has(_ name: String) -> Bool { !variable(name).isEmpty }

    /// Nil without a name, or if the variable is not set.
    func number(_ name: String?) throws(Obstacle) -> Int? {
        guard let name, has(name) else { return nil }
        guard let number = Selection.Shard.number(variable(name)) else {
            throw Obstacle(
                .usage,
                "--shard auto: \(name) must be a whole number, not \(variable(name).abbreviated.quoted)")
        }
        return number
    }
}

/// A program that starts jobs, and the variables in which it numbers them.
private struct JobStarter {
    let name: String
    let index: String
    var count: String?
    /// The number of the first job, unless `firstVariable` has it.
    var first = 0
    var firstVariable: String?
    var last: String?
    /// The distance between numbers.
    var step: String?

    /// The user, who decides if several are there.
    private static let user = JobStarter(name: "you", index: "LUBDUB_SHARD_INDEX", count: "LUBDUB_SHARD_COUNT")
    private static let programs = [
        JobStarter(name: "Kubernetes", index: "JOB_COMPLETION_INDEX"),
        JobStarter(
            name: "Slurm", index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT",
            firstVariable: "SLURM_ARRAY_TASK_MIN", last: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP"),
        JobStarter(name: "GNU parallel", index: "PARALLEL_SEQ", first: 1),
    ]
    private static let advice =
        "set LUBDUB_SHARD_INDEX, from 0, and LUBDUB_SHARD_COUNT, or use --shard I/N"

    static func one(in environment: ShardEnvironment) throws(Obstacle) -> JobStarter {
        guard !environment.has(user.index) else { return user }
        let found = programs.filter { environment.has($0.index) }
        guard let starter = found.first else {
            let list = programs.map { "\($0.index) (\($0.name))" }.joined(separator: ", ")
            throw Obstacle(
                .usage,
                "--shard auto: found no number of this job in LUBDUB_SHARD_INDEX, \(list): \(advice)")
        }
        guard found.count == 1 else {
            let list = found.map { "\($0.index) (\($0.name))" }.joined(separator: " and ")
            throw Obstacle(.usage, "--shard auto: several programs number this job, in \(list): \(advice)")
        }
        return starter
    }

    func count(given: Int?, in environment: ShardEnvironment) throws(Obstacle) -> Int {
        let (own, general) = (try environment.number(count), try environment.number(Self.user.count))
        if let own, let count, let other = given ?? general, own != other {
            let source = given == nil ? "LUBDUB_SHARD_COUNT is \(other)" : "--shard auto/\(other)"
            throw Obstacle(.usage, "\(source), but \(count) is \(own): to run one part again, use --shard I/N")
        }
        guard let all = given ?? own ?? general, all >= 1 else {
            throw Obstacle(
                .usage,
                "--shard auto: \(index) numbers this job, but the number of jobs is missing: use --shard auto/N, or set "
                    + "LUBDUB_SHARD_COUNT")
        }
        return all
    }

    /// The index of this job, from 0.
    func index(of all: Int, in environment: ShardEnvironment) throws(Obstacle) -> Int {
        let first = try environment.number(firstVariable) ?? first
        let step = max(try environment.number(step) ?? 1, 1)
        let number = try environment.number(index) ?? first
        let last = try environment.number(last)
        guard number >= first, (number - first) % step == 0, (number - first) / step < all,
            last.map({ $0 >= first && ($0 - first) / step == all - 1 }) ?? true
        else {
            throw Obstacle(
                .usage,
                "--shard auto: \(index) is \(number), but \(all) jobs that start at \(first) were expected, without gaps: number "
                    + "the jobs anew, or use --shard I/N")
        }
        return (number - first) / step
    }
}
