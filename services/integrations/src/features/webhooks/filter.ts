import { filterOperators } from '@tandem/integrations-contract';
import { LogicEngine } from 'json-logic-engine';

/** Whether a webhook receives an event; `error` if its filter cannot be evaluated for it. */
export type FilterResult = 'match' | 'no_match' | 'error';

const { methods } = new LogicEngine();
// Only the operators of the contract exist, and logic is interpreted: compiled logic would be code that is evaluated.
const engine = new LogicEngine(Object.fromEntries(filterOperators.map((name) => [name, methods[name]])), {
  disableInline: true,
  disableInterpretedOptimization: true,
});

/** Applies the filter of a webhook to the body of a delivery. Without a filter every event matches. */
export function applyFilter(filter: unknown, envelope: object): FilterResult {
  if (filter === null || filter === undefined) return 'match';
  try {
    return engine.truthy(engine.run(filter, envelope)) ? 'match' : 'no_match';
  } catch {
    return 'error';
  }
}
