"""The checks of a merged ruleset: each a function named after its question, yielding findings.

A check takes a `Subject` and is registered by standing in `CHECKS`. Those of shape come first: the others are
asked only of rows that have the right shape, so that one mistake is reported once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...core.diagnostics import Diagnostic
from ..nodes import Node
from ..overlay import Layer, MergedRuleset
from . import (
    beside,
    bots,
    cells,
    conditions,
    decisions,
    effects,
    expressions,
    fields,
    figures,
    flags,
    map,
    names,
    needs,
    order_lines,
    partners,
    piles,
    ranges,
    reached,
    references,
    rules,
    schema,
    sequence,
    shown,
    spelling,
    tables,
    terms,
    things,
    verdicts,
    words,
)
from .causes import without_consequences
from .silence import apply_silences
from .subject import CheckCache, Subject

__all__ = [
    "BY_ROW",
    "CHECKS",
    "OF_SHAPE",
    "Check",
    "CheckCache",
    "Subject",
    "of_altered",
    "run_checks",
    "without_consequences",
]

Check = Callable[[Subject], Iterable[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    schema.rows_have_the_shape_of_their_form,
    schema.the_manifest_has_its_shape,
    schema.the_sequence_has_its_shape,
    fields.further_keys_are_declared_fields,
    fields.fields_have_their_type,
    fields.defaults_of_fields_have_their_type,
    fields.fields_that_rows_set_have_their_type,
    fields.grades_have_declared_fields,
    references.references_name_rows_that_exist,
    references.groups_have_members_that_exist,
    references.notes_are_about_rows,
    words.words_name_what_is_there,
    words.computed_ids_are_there,
    words.facts_have_the_roles_they_are_asked_for,
    words.texts_name_what_is_in_scope,
    words.ranges_go_upward,
    ranges.bounds_go_upward,
    ranges.fractions_are_small_enough,
    ranges.thresholds_lie_within,
    ranges.dice_can_come_to_what_is_asked,
    ranges.years_are_whole,
    ranges.figures_fit_their_dice,
    words.faces_are_on_the_die,
    words.ranges_of_tables_are_apart,
    tables.cells_stand_under_all_keys,
    tables.cells_are_alike,
    tables.bands_leave_nothing_out,
    beside.keys_are_read,
    effects.effects_say_all_that_they_need,
    effects.matrices_have_their_columns,
    piles.deals_say_whose_piles_they_mean,
    piles.piles_are_filled_from_others,
    piles.cards_come_into_the_game,
    piles.piles_that_orders_choose_from_are_shown,
    needs.rows_have_the_keys_that_they_need,
    sequence.the_sequence_comes_to_an_input,
    sequence.acts_are_carried_out_once,
    sequence.orders_can_be_given,
    sequence.ticks_are_few,
    shown.players_see_something,
    figures.figures_name_quantities,
    figures.quantities_are_of_what_is_asked,
    order_lines.forms_can_be_read,
    order_lines.slots_left_out_have_a_value,
    figures.dice_of_battles_are_single,
    figures.grades_say_what_their_unit_leaves_open,
    decisions.defaults_are_answers,
    partners.own_rules_fit_their_acts,
    bots.policies_move_by_orders_of_moves,
    bots.policies_name_slots_of_their_orders,
    bots.policies_fill_slots_with_what_they_hold,
    partners.objectives_fit_their_aims,
    terms.terms_do_not_lead_back_to_themselves,
    terms.values_lead_somewhere,
    terms.arguments_have_names_of_their_own,
    terms.battles_do_not_lead_back_to_themselves,
    expressions.expressions_are_right,
    conditions.conditions_decide_something,
    cells.fields_can_be_what_they_are_compared_with,
    cells.steps_and_missions_compared_are_there,
    cells.tables_have_the_cells_that_are_asked_for,
    things.things_are_of_the_kind_asked_for,
    things.counters_are_asked_of_whose_they_are,
    things.counters_of_units_are_kept_in_fields,
    things.slots_name_things_of_their_kind,
    things.changed_fields_are_of_the_thing,
    things.adjusts_are_for_things_of_their_quantity,
    shown.shown_fields_are_there,
    shown.what_is_nobodys_is_shown_to_all,
    verdicts.verdicts_can_be_judged,
    map.links_join_two_places,
    map.places_have_links,
    map.places_can_be_reached,
    map.places_can_be_left,
    map.gates_stand_between_linked_places,
    map.keys_of_gates_touch_them,
    map.lists_of_links_agree_with_the_links,
    names.things_have_names_of_their_own,
    names.orders_are_written_apart,
    rules.steps_named_are_in_the_sequence,
    rules.filters_name_what_exists,
    rules.events_can_fire,
    reached.triggers_can_come,
    reached.technologies_can_be_begun,
    reached.technologies_can_be_learned,
    reached.rows_of_matrices_are_come_to,
    reached.cases_are_come_to,
    reached.events_say_what_has_happened,
    reached.results_leave_no_face_out,
    rules.orders_and_acts_are_taken_by_a_step,
    rules.rows_are_settled_by_a_step,
    rules.rows_that_open_are_opened,
    rules.transfers_are_ordered,
    rules.cargo_goes_by_a_mode_that_carries,
    rules.orders_go_by_a_mode_of_their_step,
    rules.units_can_be_got,
    rules.numbers_of_units_are_there,
    rules.rows_of_helpers_are_used,
    fields.fields_are_read,
    rules.kinds_of_the_map_are_named,
    rules.tags_are_read,
    rules.thresholds_are_waited_for,
    flags.marks_are_set_and_read,
    spelling.words_of_expressions_are_said_elsewhere,
    spelling.words_of_things_are_said_elsewhere,
)

OF_SHAPE: tuple[Check, ...] = CHECKS[:4]
"""Checks that ask of nothing but what stands in a file: they are asked, too, where another file cannot be
read.
"""

BY_ROW: tuple[Check, ...] = (
    schema.rows_have_the_shape_of_their_form,
    references.references_name_rows_that_exist,
    words.words_name_what_is_there,
    words.facts_have_the_roles_they_are_asked_for,
    words.texts_name_what_is_in_scope,
    beside.keys_are_read,
    effects.effects_say_all_that_they_need,
    figures.figures_name_quantities,
    figures.quantities_are_of_what_is_asked,
    order_lines.forms_can_be_read,
    order_lines.slots_left_out_have_a_value,
    expressions.expressions_are_right,
)
"""Checks that ask of each row by itself, whatever stands in the others but their ids, definitions and
fields.
"""


def of_altered(base: Subject, draft: MergedRuleset, *rows: tuple[str, str]) -> Iterator[Diagnostic]:
    """The findings in a draft that differs in some rows (table and id) from that of `base`, which has none,
    or has more.

    What shows in the rows by themselves comes first, their shape before all else; the whole is looked at as
    they are asked for.
    """
    altered: dict[str, dict[str, Node]] = {}
    for form, id_ in rows:
        altered.setdefault(form, {})[id_] = draft.rows(form)[id_]
    part = Subject(MergedRuleset(draft.manifest, altered), base.known, kept=base.kept)
    faults = list(schema.rows_have_the_shape_of_their_form(part))
    yield from faults
    whole = base.with_rows(draft, part)
    whole.faulty.update(part.faulty)
    only = Subject(draft, base.known, whole.faulty, base.kept)
    only.__dict__.update(values=whole.values, marked=part.marked)
    only.once("works", lambda _: base.once("works", words.works_of))
    # a row of wrong shape is missed by those that name it
    alone = not faults and READ_BY_OTHERS.isdisjoint(altered)
    for check in BY_ROW[1:] if not faults else ():
        yield from check(only)
    for check in CHECKS[1:]:
        if not alone or check not in BY_ROW:
            yield from check(whole)


READ_BY_OTHERS = frozenset(
    {
        "fields",
        "definitions",
        "groups",
        "actions",
        "orders",
        "places",
        "links",
        "units",
        "technologies",
        "production",
        "detection",
    }
    | {
        "matrices",
        "tables",
        "victory",
        "options",
        "battles",
        "tracks",
        "stances",
        "decisions",
        "resources",
    }
    | {"clauses", "chapters"}
)
"""Forms of which more than the ids counts for what other rows may say."""


def run_checks(
    subject: Subject, layers: list[Layer], checks: Iterable[Check] = CHECKS
) -> Iterator[Diagnostic]:
    """All findings of all checks (or of some), less what is silenced where it stands."""
    found = [finding for check in checks for finding in check(subject)]
    yield from without_consequences(apply_silences(found, subject.draft, layers))
