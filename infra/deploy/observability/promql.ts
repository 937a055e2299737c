import { parser } from '@prometheus-io/lezer-promql';

/** The metrics of a PromQL expression, and the labels it matches or groups by. */
export interface PromqlNames {
  metrics: Set<string>;
  /** Labels in `{…}` with their metric. */
  matched: { metric: string; label: string }[];
  /** Labels in `by (…)`. */
  grouped: Set<string>;
}

/**
 * Reads the names in a PromQL expression with Prometheus' own grammar.
 * @throws if it is not valid PromQL
 */
export function namesIn(expression: string): PromqlNames {
  // A Grafana variable, which the parser does not know: replaced by any duration.
  const text = expression.replaceAll('$__rate_interval', '1m');
  const names: PromqlNames = { metrics: new Set(), matched: [], grouped: new Set() };
  let metric = '';
  let isGrouping = false;
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      const part = text.slice(from, to);
      if (type.isError) throw new Error(`Invalid PromQL at character ${from}: ${text}`);
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
