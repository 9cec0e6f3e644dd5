import Documents

/// The scenario language as a JSON Schema, for editors.
public enum ScenarioSchema {
    /// Draft 2020-12, written from the tables with which files are read.
    ///
    /// It cannot see a variable's value, things that are missing, duplicates and loops.
    public static var json: String {
        Tables.file.schema(title: "Lubdub scenario", placeholder: Forms.variable, fixed: Tables.fixedKeys)
    }
}
