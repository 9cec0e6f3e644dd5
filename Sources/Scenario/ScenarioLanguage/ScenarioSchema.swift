import Documents
import Scenarios

/// The scenario language as a JSON Schema, for editors.
package enum ScenarioSchema {
    /// JSON Schema, draft 2020-12, generated from the reader's tables.
    ///
    /// It does not check the values of variables, references, duplicates and loops.
    package static var json: String {
        Tables.file.schema(title: "Lubdub scenario", placeholder: Forms.variable, fixed: Tables.fixedKeys)
    }
}
