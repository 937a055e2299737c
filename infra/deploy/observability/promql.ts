import { parser } from '@prometheus-io/lezer-promql';

/** The metrics of a PromQL expression, and every label that it matches or groups by. */
export interface PromqlNames {
  metrics: Set<string>;
  /** Labels in `{…}` with the metric before them. */
  matched: { metric: string; label: string }[];
  /** Labels in `by (…)`. */
  grouped: Set<string>;
}

/**
 * Reads the names that a PromQL expression uses, by Prometheus' own grammar.
 * @throws when it is not PromQL
 */
export function namesIn(expression: string): PromqlNames {
  // A variable of Grafana; any duration stands for it.
  const text = expression.replaceAll('$__rate_interval', '1m');
  const names: PromqlNames = { metrics: new Set(), matched: [], grouped: new Set() };
  let metric = '';
  let isGrouping = false;
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      const part = text.slice(from, to);
      if (type.isError) throw new Error(`Not PromQL at character ${from}: ${text}`);
      if (type.name === 'Identifier') {
        metric = part;
        names.metrics.add(metric);
      }
      if (type.name === 'GroupingLabels') isGrouping = true;
      if (type.name === 'LabelName' && isGrouping) names.grouped.add(part);
      if (type.name === 'LabelName' && !isGrouping) names.matched.push({ metric, label: part });
    },
    leave({ type }) {
      if (type.name === 'GroupingLabels') isGrouping = false;
    },
  });
  return names;
}
