# SPDX-License-Identifier: Apache-2.0
"""Moves the directives of translation units: regions first, and data directives if no region has to stay."""
import os
import re

from .data import data_edits, is_data
from .region import Region
from .source import Refused, identifiers
from .templates import TemplateRegion, instantiations
from .tree import key_of

ASKING = {"omp_get_mapped_ptr", "omp_target_is_present", "omp_target_is_accessible", "omp_target_associate_ptr",
          "omp_target_disassociate_ptr"}
HEADER = "#include <teamwork_port.h>\n"


class Result:
    """What became of a directive: `state` is "moved", "stays", "kept" (a data directive that regions need) or "inactive"
    (it is not compiled, with these macros)."""

    def __init__(self, source, directive, state, kind="", reason="", remedy="", offset=None):
        self.path, self.state, self.kind, self.reason, self.remedy = source.path, state, kind, reason, remedy
        self.line = source.line_of(source.text.index("#", directive.start))
        self.at = source.line_of(offset) if offset is not None else self.line
        self.words = directive.words
        self.notes = []


class Mover:
    """Moves what it is given, unit by unit. `at` is (path, line) of the only region that is to be moved, or None."""

    def __init__(self, at=None):
        self.at, self.results, self.units = at, [], []
        self.done = set()        # (path, offset) of directives that were looked at
        self.names, self.variables = set(), {}
        self.need_header = set()
        self.instantiated = {}   # {unit: what templates.instantiations() returns}

    def add(self, unit):
        self.units.append(unit)
        for source in unit.files.values():
            self.names |= identifiers(source.code)

    def regions(self, unit):
        for path, source in unit.files.items():
            for directive in unit.directives[path]:
                words = directive.words.split()
                key = (os.path.realpath(path), directive.start)
                if words[:1] != ["target"] or is_data(directive) or key in self.done:
                    continue
                if self.at and not self.is_wanted(source, directive):
                    continue
                if unit.top_level(path, directive.start) is None and unit is not self.units[-1]:
                    continue
                self.done.add(key)
                self.region(unit, source, directive)

    def instances(self, key):
        """Returns [(unit, cursor)] of a template's instantiations in all units."""
        for unit in self.units:
            if unit not in self.instantiated:
                self.instantiated[unit] = instantiations(unit)
        return [(unit, cursor) for unit in self.units for cursor in self.instantiated[unit].get(key, ())]

    def is_wanted(self, source, directive):
        path, line = self.at
        first = source.line_of(source.text.index("#", directive.start))
        return os.path.realpath(source.path) == path and first <= line <= source.line_of(directive.end)

    def region(self, unit, source, directive):
        unit.current, unit.current_top = source, unit.top_level(source.path, directive.start)
        region = Region(unit, source, directive, self.names)
        try:
            if unit.current_top is not None and unit.current_top.kind == "FUNCTION_TEMPLATE":
                instances = self.instances(key_of(unit.current_top.cursor))
                if not instances:
                    raise Refused("not compiled", "the template is not used", "give the tool all files of the program")
                region = TemplateRegion(unit, source, directive, self.names, instances)
            region.move()
        except Refused as refused:
            state = "inactive" if refused.kind == "not compiled" else "stays"
            self.results.append(Result(source, directive, state, refused.kind, refused.reason, refused.remedy,
                                       refused.offset if region_has(source, directive, region, refused.offset) else None))
            return
        except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError) as error:
            self.results.append(Result(source, directive, "stays", "internal", f"the tool failed: {error!r}",
                                       "report it with the function"))
            return
        result = Result(source, directive, "moved")
        result.notes = [(source.line_of(offset), text) for offset, text in region.notes]
        self.results.append(result)
        self.need_header.add(source)
        self.need_header.update(other for other, *_ in region.edits)
        self.variables.update({key: (unit, cursor) for key, cursor in region.variables.items()})

    def finish(self):
        """Moves regions, then data directives, unless regions stay that need them; adds headers and marks of variables."""
        for unit in self.units:
            self.regions(unit)
        self.data()
        if not self.at and self.need_header and any(result.state in ("stays", "kept") for result in self.results):
            self.choose_device()
        for unit, cursor in self.variables.values():
            self.mark_variable(unit, cursor)
        for source in self.need_header:
            place = min([header_place(source)] + [start for start, _, text in source.edits if text])
            source.edits.insert(0, (place, place, HEADER))  # before a kernel at the same place

    def data(self):
        staying = [result for result in self.results if result.state == "stays"]
        edits, results, number = [], [], 0
        for unit in self.units:
            for path, source in unit.files.items():
                for directive in unit.directives[path]:
                    key = (os.path.realpath(path), directive.start)
                    if not is_data(directive) or key in self.done:
                        continue
                    self.done.add(key)
                    number += 1
                    unit.current, unit.current_top = source, unit.top_level(path, directive.start)
                    try:
                        edits += [(source, *edit) for edit in data_edits(unit, source, directive, number)]
                        results.append(Result(source, directive, "moved"))
                    except Refused as refused:
                        results.append(Result(source, directive, "stays", refused.kind, refused.reason, refused.remedy))
        stays = staying or self.at or self.asks_openmp() or any(result.state == "stays" for result in results)
        for result in results:
            if stays and result.state == "moved":
                result.state, result.kind = "kept", "regions or directives that stay need it"
        self.results += [] if self.at else results
        for source, start, end, text in [] if stays else edits:
            source.replace(start, end, text)
            self.need_header.add(source)

    def choose_device(self):
        """Lets main() choose the device before the first of the regions that stay, which run on the same."""
        for unit in self.units:
            for main in unit.tu.cursor.get_children():
                source = unit.files.get(main.location.file.name) if main.location.file else None
                if main.kind.name == "FUNCTION_DECL" and main.spelling == "main" and main.is_definition() and source:
                    body = [child for child in main.get_children() if child.kind.name == "COMPOUND_STMT"][0]
                    source.insert(body.extent.start.offset + 1,
                                  "\n    (void)tw_port_queue(); /* what stays runs on the queue's device, too */")
                    self.need_header.add(source)
                    return

    def asks_openmp(self):
        """Returns true if a file asks OpenMP for what it has mapped: data directives must stay then."""
        return any(identifiers(source.code) & ASKING for unit in self.units for source in unit.files.values())

    @staticmethod
    def mark_variable(unit, cursor):
        """Puts a constant of file scope that device functions use between the lines that bring it to devices."""
        declaration = cursor.get_definition() or cursor
        source = unit.files.get(declaration.location.file.name)
        if source is None:
            return
        start = source.line_start(declaration.extent.start.offset)
        end = source.next_line(source.text.index(";", declaration.extent.end.offset))
        source.insert(start, "TW_BEGIN_DEVICE_VARIABLES\n")
        source.insert(end, "TW_END_DEVICE_VARIABLES\n")


def region_has(source, directive, region, offset):
    """Returns true if an offset is one in the region's own text, and so in the file of the report."""
    return offset is not None and directive.start <= offset <= max(region.end, directive.end) <= len(source.text)


def header_place(source):
    """Returns where the header is included: before the first #include, else behind the comment at the head."""
    code = source.code
    match = re.search(r"^[ \t]*#[ \t]*include\b", code, re.M)
    if match:
        return match.start()
    match = re.search(r"^[ \t]*#[ \t]*ifndef[ \t]+(\w+)[^\n]*\n[ \t]*#[ \t]*define[ \t]+\1[^\n]*\n", code, re.M)
    if match:
        return match.end()
    match = re.search(r"\S", code)
    return source.line_start(match.start()) if match else 0
