import type { BrokerState } from './broker-state.ts';
import {
  type Binding,
  consumerTopology,
  type DeclaredConsumer,
  type Names,
  type QueueArguments,
  sharedTopology,
  type Topology,
} from './topology.ts';

/** One way in which the broker differs from what the services declare. */
export type Difference =
  | { kind: 'missing_exchange'; name: string; type: Topology['exchanges'][number]['type'] }
  | { kind: 'missing_queue'; name: string; arguments: QueueArguments }
  | { kind: 'missing_binding'; binding: Binding }
  /** Arguments of a queue cannot be changed. */
  | { kind: 'wrong_arguments'; name: string; expected: QueueArguments; actual: QueueArguments }
  /** A consumer that no longer wants an event still gets it. */
  | { kind: 'extra_binding'; binding: Binding }
  /** No service declares a consumer for the queue: it was removed or renamed. */
  | { kind: 'orphaned_queue'; name: string; bindings: Binding[] }
  /** Dead letters under the name that earlier releases used. */
  | { kind: 'former_dead_queue'; name: string; queue: string };

interface DeclaredFleet {
  names: Names;
  consumers: readonly DeclaredConsumer[];
  retryDelaysMs: readonly number[];
  /** Services that did not tell what they declare: their queues are left out of the comparison. */
  unknownServices: readonly string[];
}

/** Compares what the services declare with what is on the broker. Queues of other kinds of names are not ours. */
export function topologyDifferences(fleet: DeclaredFleet, actual: BrokerState, namespace: string): Difference[] {
  const expected = expectedTopology(fleet);
  return [
    ...missing(expected, actual),
    ...wrongArguments(expected, actual),
    ...extraBindings(expected, actual, fleet.names),
    ...unexpectedQueues(expected, actual, fleet, namespace),
  ];
}

function expectedTopology({ names, consumers, retryDelaysMs }: DeclaredFleet): Topology {
  const parts = [sharedTopology(names, retryDelaysMs), ...consumers.map((one) => consumerTopology(names, one))];
  return {
    exchanges: parts.flatMap(({ exchanges }) => exchanges),
    queues: parts.flatMap(({ queues }) => queues),
    bindings: parts.flatMap(({ bindings }) => bindings),
  };
}

function missing(expected: Topology, actual: BrokerState): Difference[] {
  const exchanges = new Set(actual.exchanges.map(({ name }) => name));
  const queues = new Set(actual.queues.map(({ name }) => name));
  const bindings = new Set(actual.bindings.map(keyOf));
  return [
    ...expected.exchanges
      .filter(({ name }) => !exchanges.has(name))
      .map((exchange) => ({ kind: 'missing_exchange' as const, ...exchange })),
    ...expected.queues
      .filter(({ name }) => !queues.has(name))
      .map((queue) => ({ kind: 'missing_queue' as const, ...queue })),
    ...expected.bindings
      .filter((binding) => !bindings.has(keyOf(binding)))
      .map((binding) => ({ kind: 'missing_binding' as const, binding })),
  ];
}

function wrongArguments(expected: Topology, actual: BrokerState): Difference[] {
  const found = new Map(actual.queues.map((queue) => [queue.name, queue.arguments]));
  return expected.queues.flatMap(({ name, arguments: wanted }) => {
    const given = found.get(name);
    const isSame = !given || Object.entries(wanted).every(([key, value]) => given[key] === value);
    return given && !isSame ? [{ kind: 'wrong_arguments' as const, name, expected: wanted, actual: given }] : [];
  });
}

function extraBindings(expected: Topology, actual: BrokerState, names: Names): Difference[] {
  const wanted = new Set(expected.bindings.map(keyOf));
  const queues = new Set(expected.queues.map(({ name }) => name));
  return actual.bindings
    .filter((binding) => binding.exchange === names.events && queues.has(binding.queue) && !wanted.has(keyOf(binding)))
    .map((binding) => ({ kind: 'extra_binding' as const, binding }));
}

function unexpectedQueues(
  expected: Topology,
  actual: BrokerState,
  { names, consumers, unknownServices }: DeclaredFleet,
  namespace: string,
): Difference[] {
  const wanted = new Set(expected.queues.map(({ name }) => name));
  const former = new Map(consumers.map(({ queue }) => [names.formerDeadQueue(queue), queue]));
  return actual.queues.flatMap(({ name }): Difference[] => {
    if (wanted.has(name)) return [];
    const queue = former.get(name);
    if (queue) return [{ kind: 'former_dead_queue', name, queue }];
    // The name may belong to a deployment whose namespace begins with this one.
    const parts = /^([a-z0-9_-]+)\.[a-z0-9_-]+(\.dead|\.dead-letters)?$/.exec(name.slice(namespace.length + 1));
    if (!parts || unknownServices.includes(parts[1] as string)) return [];
    return [{ kind: 'orphaned_queue', name, bindings: actual.bindings.filter(({ queue: of }) => of === name) }];
  });
}

function keyOf({ exchange, queue, routingKey }: Binding): string {
  return JSON.stringify([exchange, queue, routingKey]);
}
