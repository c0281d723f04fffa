package games.strategy.triplea.oddsCalculator.ta;

import games.strategy.engine.data.GameData;
import games.strategy.engine.data.GameParser;
import games.strategy.engine.data.PlayerID;
import games.strategy.engine.data.Territory;
import games.strategy.engine.data.Unit;
import games.strategy.engine.data.UnitType;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Asks the battle calculator of TripleA; it stands in the calculator's package, to which the class is known.
 *
 * <p> First argument: a game file. Each line of the input is a battle, with tabs between
 *
 *   id, place, attackers, defenders, bombarding, the attacker's and the defender's order of losses, runs
 *
 * Units are written NAME=NUMBER,NAME=NUMBER; those that do not count as left over carry a minus before the name. Each line of the
 * output is: id, runs in which only the attacker, only the defender, neither, both had units left, and nanoseconds of
 * the processor.
 */
public final class PeerOdds {
  private PeerOdds() {}

  public static void main(final String[] arguments) throws Exception {
    final GameData data;
    try (FileInputStream stream = new FileInputStream(arguments[0])) {
      data = new GameParser(arguments[0]).parse(stream, new AtomicReference<>(), false);
    }
    final OddsCalculator calculator = new OddsCalculator(data, true);
    final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      System.out.println(answer(calculator, data, line.split("\t", -1)));
    }
    System.exit(0);
  }

  private static String answer(final OddsCalculator calculator, final GameData data, final String[] asked) {
    final PlayerID attacker = data.getPlayerList().getPlayerId("Attacker");
    final PlayerID defender = data.getPlayerList().getPlayerId("Defender");
    final Territory place = data.getMap().getTerritory(asked[1]);
    final Set<String> apart = new HashSet<>();
    final List<Unit> attacking = units(data, attacker, asked[2], apart);
    final List<Unit> defending = units(data, defender, asked[3], apart);
    final List<Unit> bombarding = units(data, attacker, asked[4], apart);
    final int runs = Integer.parseInt(asked[7]);
    calculator.setAmphibious(!bombarding.isEmpty());
    calculator.setAttackerOrderOfLosses(order(asked[5]));
    calculator.setDefenderOrderOfLosses(order(asked[6]));
    calculator.setCalculateData(attacker, defender, place, attacking, defending, bombarding, new ArrayList<>(), runs);
    final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
    final long began = clock.getCurrentThreadCpuTime();
    final AggregateResults found = calculator.calculate();
    final long took = clock.getCurrentThreadCpuTime() - began;
    final int[] ends = new int[4];
    for (final BattleResults result : found.getResults()) {
      final boolean a = counts(result.getRemainingAttackingUnits(), apart);
      final boolean d = counts(result.getRemainingDefendingUnits(), apart);
      ends[a ? (d ? 3 : 0) : (d ? 1 : 2)]++;
    }
    return String.format("%s\t%d\t%d\t%d\t%d\t%d", asked[0], ends[0], ends[1], ends[2], ends[3], took);
  }

  private static boolean counts(final Collection<Unit> left, final Set<String> apart) {
    for (final Unit unit : left) {
      if (!apart.contains(unit.getType().getName())) {
        return true;
      }
    }
    return false;
  }

  private static List<Unit> units(
      final GameData data, final PlayerID owner, final String text, final Set<String> apart) {
    final List<Unit> found = new ArrayList<>();
    for (final String part : text.isEmpty() ? new String[0] : text.split(",")) {
      final String[] pair = part.split("=");
      final String name = pair[0].startsWith("-") ? pair[0].substring(1) : pair[0];
      if (!name.equals(pair[0])) {
        apart.add(name);
      }
      final UnitType type = data.getUnitTypeList().getUnitType(name);
      found.addAll(type.create(Integer.parseInt(pair[1]), owner));
    }
    return found;
  }

  /** What is lost first stands first: NAME,NAME; without one the calculator chooses by itself. */
  private static String order(final String text) {
    if (text.isEmpty()) {
      return null;
    }
    final List<String> parts = new ArrayList<>();
    for (final String name : Arrays.asList(text.split(","))) {
      parts.add("*^" + name);
    }
    return String.join(";", parts);
  }
}
