#include "format/notebook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/recordings.h"

namespace assay {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

std::string notebook(const std::string& outputs) {
  return "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"outputs\": [\n" + outputs +
         "\n   ],\n   \"source\": [\n    \"learning_rate = 5.0\\n\",\n    \"print('step: 9, loss: 9.9')\\n\"\n   ]\n  "
         "}\n"
         " ],\n \"nbformat\": 4\n}\n";
}

const std::string kStream =
    "    {\n     \"name\": \"stdout\",\n     \"output_type\": \"stream\",\n     \"text\": [\n"
    "      \"step: 1, loss: 2.5\\n\",\n      \"step: 2, loss: 2.25\\n\",\n      \"step: 3, loss: 2.125\\n\"\n     ]\n  "
    "  }";

const std::string kTable =
    "    {\n     \"data\": {\n      \"text/html\": [\n       \"<div>[30/30 05:21, Epoch 3/3]</div>\\n\",\n"
    "       \"<table border=\\\"1\\\">\\n\",\n       \"<tr><th>Step</th><th>Training Loss</th><th>Validation "
    "Loss</th></tr>\\n\",\n"
    "       \"<tr>\\n\",\n       \"<td>10</td>\\n\",\n       \"<td>No log</td>\\n\",\n       "
    "\"<td>2.75</td></tr>\\n\",\n"
    "       \"<tr><td>20</td><td>2.5</td><td>2.5</td></tr>\\n\",\n"
    "       \"<tr><td>30</td><td>2.25</td><td>2.375</td></tr></table>\"\n      ],\n"
    "      \"text/plain\": [\"<IPython.core.display.HTML object>\"]\n     },\n"
    "     \"output_type\": \"display_data\"\n    }";

TEST(Notebook, StreamsAreAConsole) {
  const Recording got = read_bytes("train.ipynb", notebook(kStream));
  EXPECT_EQ(got.file.kind, "notebook");
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25, 2.125));
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(1, 2, 3));
  EXPECT_THAT(lines_of(got, "loss"), ElementsAre(10, 11, 12));  // of the document
  EXPECT_TRUE(got.config.settings.empty());
}

TEST(Notebook, OneTextAndOneLine) {
  const std::string text =
      R"({"cells": [{"cell_type": "code", "outputs": [{"output_type": "stream", "text": "step: 1, loss: 2.5\nstep: 2, )"
      R"(loss: 2.25\n"}]}], "nbformat": 4})";
  EXPECT_THAT(values_of(read_bytes("a.json", text), "loss"), ElementsAre(2.5, 2.25));
}

TEST(Notebook, TablesOfHuggingFacesTrainer) {
  const Recording got = read_bytes("train.ipynb", notebook(kTable));
  EXPECT_THAT(values_of(got, "loss"), ElementsAre(2.5, 2.25));
  EXPECT_THAT(values_of(got, "eval_loss"), ElementsAre(2.75, 2.5, 2.375));
  EXPECT_THAT(steps_of(got, "eval_loss"), ElementsAre(10, 20, 30));
}

TEST(Notebook, TheOlderForm) {
  const std::string text =
      R"({"worksheets": [{"cells": [{"cell_type": "code", "input": ["lr = 1"], "outputs": [{"output_type": "pyout",)"
      R"( "text": ["step: 1, loss: 2.5\n", "step: 2, loss: 2.25\n"]}]}]}], "nbformat": 3})";
  EXPECT_THAT(values_of(read_bytes("old.ipynb", text), "loss"), ElementsAre(2.5, 2.25));
}

TEST(Notebook, CutAnywhereKeepsWhatStandsBefore) {
  const std::string whole = notebook(kStream + ",\n" + kTable);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const Recording got = read_bytes("train.ipynb", whole.substr(0, length), 7);
    for (const double value : values_of(got, "loss")) {
      EXPECT_THAT(value, testing::AnyOf(DoubleEq(2.5), DoubleEq(2.25), DoubleEq(2.125))) << length;
    }
  }
  EXPECT_THAT(values_of(read_bytes("train.ipynb", whole.substr(0, whole.find("2.125"))), "loss"),
              ElementsAre(2.5, 2.25));
}

TEST(Notebook, OtherDocumentsAreNone) {
  EXPECT_FALSE(is_notebook("a.json", R"({"cells": [1, 2]})", true));
  EXPECT_FALSE(is_notebook("a.ipynb", "no document", true));
  EXPECT_TRUE(is_notebook("a.ipynb", R"({"cells": []})", true));
}

}  // namespace
}  // namespace assay
