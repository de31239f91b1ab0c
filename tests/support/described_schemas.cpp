// Makes schemas from descriptions.
#include "tests/support/described_schemas.hpp"

#include <utility>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/run/prediction.hpp"
#include "shared_policies/run/results.hpp"
#include "tests/support/json_schema.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/search/what_if.hpp"
#include "tools/sweep/point_store.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "traces/experience_file.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

Json schema_word(const std::string& name) {
  return {{"type", "string"}, {"pattern", "^equipoise\\." + name + "/1(\\.[0-9]+)?$"}};
}

/// `object` with a member before all others.
Json with_first(Json object, const std::string& name, Json schema) {
  Json properties = {{name, std::move(schema)}};
  properties.update(object["properties"]);
  object["properties"] = std::move(properties);
  Json required = Json::array({name});
  for (const Json& one : object["required"]) required.push_back(one);
  object["required"] = std::move(required);
  return object;
}

Json sample_schema() {
  return with_first(schema_of<TraceSample>(in_traces, true), "unit",
                    {{"type", "string"},
                     {"minLength", 1},
                     {"description", "the name of its unit in the header"}});
}

Json header_schema() {
  return with_first(schema_of<RunHeader>(in_runs), "schema", schema_word("run"));
}

Json summary_schema() {
  return with_first(schema_of<RunSummary>(in_runs), "summary", {{"const", true}});
}

Json trace_schema() {
  Json header = with_first(schema_of<Trace>(in_traces, true), "schema", schema_word("trace"));
  header["properties"]["units"]["items"]["additionalProperties"] = true;
  return header;
}

Json repetition_schema() {
  Json schema = with_first(schema_of<RunNumbers>(in_repetitions), "repetition",
                           {{"type", "integer"}, {"minimum", 0}});
  put_property(schema, "verified", {{"type", "boolean"}}, true);
  return schema;
}

Json by_name(Json values) {
  return {{"type", "object"}, {"additionalProperties", std::move(values)}};
}

Json schema_of_field(FieldKind kind) {
  Json number = or_null_schema({{"type", "number"}});
  switch (kind) {
    case FieldKind::number:
      return number;
    case FieldKind::count:
      return {{"type", "integer"}, {"minimum", 0}};
    case FieldKind::flag:
      return or_null_schema({{"type", "boolean"}});
    case FieldKind::text:
      return or_null_schema({{"type", "string"}});
    case FieldKind::statistics:
      return or_null_schema({{"$ref", "#/$defs/statistics"}});
    case FieldKind::makespan:
      return {{"$ref", "#/$defs/makespan"}};
    case FieldKind::by_unit:
      return by_name(number);
    case FieldKind::parameters:
      return by_name({{"type", Json::array({"string", "number", "boolean"})}});
    case FieldKind::phases:
      return or_null_schema({{"$ref", "#/$defs/phases"}});
    case FieldKind::repetitions:
      return {{"type", "array"}, {"items", {{"$ref", "#/$defs/repetition"}}}, {"minItems", 1}};
  }
  return {};
}

/// The phases of a result.
Json phases_schema() {
  const Json seconds = {{"type", "number"}, {"minimum", 0}};
  Json phase = {{"type", "object"}, {"properties", Json::object()}};
  put_property(phase, "end_s", seconds, true);
  put_property(phase, "duration_s", seconds, true);
  put_property(phase, "share_by_unit", by_name({{"type", "number"}}), true);
  phase["additionalProperties"] = false;
  return {{"type", "array"}, {"items", std::move(phase)}};
}

Json makespan_schema() {
  Json schema = schema_of<Statistics>(everywhere);
  put_property(schema, "interval95", or_null_schema(schema["properties"]["ci95"]), true);
  schema["properties"]["interval95"]["description"] =
      "where the makespan of a single real run lies with 95 %";
  return schema;
}

/// A result: the fields in results.json.
Json result_schema() {
  Json schema = {{"type", "object"}, {"properties", Json::object()}};
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & in_json) == 0) continue;
    Json one = schema_of_field(field.shown.kind);
    one["description"] = field.explanation;
    put_property(schema, field.name, std::move(one), true);
  }
  schema["additionalProperties"] = false;
  return schema;
}

}  // namespace

std::vector<DescribedSchema> described_schemas() {
  std::vector<DescribedSchema> parts = {
      {"trace.json", "/$defs/header", trace_schema()},
      {"trace.json", "/$defs/sample", sample_schema()},
      {"run.json", "/$defs/header", header_schema()},
      {"run.json", "/$defs/summary", summary_schema()},
      {"experience.json", "/properties/learned/items", schema_of<ExperienceEntry>(everywhere)},
      {"validations.json", "/properties/cases/items", schema_of<ValidatedCase>(everywhere)},
      {"costs.json", "/properties/ranges/items", schema_of<CostRange>(everywhere)},
      {"points.json", "/$defs/point/properties", schema_of<PointRecord>(in_points)["properties"]},
      {"points.json", "/$defs/search/properties", schema_of<SearchRecord>(in_points)["properties"]},
      {"results.json", "/$defs/environment", or_null_schema(schema_of<Environment>(everywhere))},
      {"results.json", "/$defs/experiment", schema_of<ExperimentFacts>(everywhere)},
      {"results.json", "/properties/what_if", schema_of<WhatIf>(everywhere)},
      {"results.json", "/$defs/statistics", schema_of<Statistics>(everywhere)},
      {"results.json", "/$defs/makespan", makespan_schema()},
      {"results.json", "/$defs/phases", phases_schema()},
      {"results.json", "/$defs/repetition", repetition_schema()},
      {"results.json", "/$defs/result", result_schema()},
      {"validation.json", "/properties/environment",
       or_null_schema(schema_of<Environment>(everywhere))},
      {"validation.json", "/properties/experiment", schema_of<ExperimentFacts>(everywhere)}};
  const Json of_campaigns = schema_of<RunSettings>(in_campaigns)["properties"];
  for (const auto& [name, schema] : of_campaigns.items()) {
    for (const char* const place : {"/properties/", "/properties/experiments/items/properties/"}) {
      parts.push_back({"campaign.json", place + name, schema});
    }
  }
  return parts;
}

}  // namespace equipoise
