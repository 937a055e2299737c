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

/** A difference between the broker and the declarations of the services. */
export type Difference =
  | { kind: 'missing_exchange'; name: string; type: Topology['exchanges'][number]['type'] }
  | { kind: 'missing_queue'; name: string; arguments: QueueArguments }
  | { kind: 'missing_binding'; binding: Binding }
  /** Arguments of a queue cannot be changed. */
  | { kind: 'wrong_arguments'; name: string; expected: QueueArguments; actual: QueueArguments }
  /** A consumer still receives an event that it no longer handles. */
  | { kind: 'extra_binding'; binding: Binding }
  /** No service declares a consumer for the queue: it was removed or renamed. */
  | { kind: 'orphaned_queue'; name: string; bindings: Binding[] }
  /** Dead letters under the queue name of earlier releases. */
  | { kind: 'former_dead_queue'; name: string; queue: string };

interface DeclaredFleet {
  names: Names;
  consumers: readonly DeclaredConsumer[];
  retryDelaysMs: readonly number[];
  /** Services whose declarations are unavailable: their queues are excluded from the comparison. */
  unknownServices: readonly string[];
}

/**
 * Compares the declarations of the services with the broker. Queues that do not match our naming scheme are ignored.
 */
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
  const parts = [
    sharedTopology(names, retryDelaysMs),
    ...consumers.map((consumer) => consumerTopology(names, consumer)),
  ];
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
    const actual = found.get(name);
    const isSame = !actual || Object.entries(wanted).every(([key, value]) => actual[key] === value);
    return actual && !isSame ? [{ kind: 'wrong_arguments' as const, name, expected: wanted, actual }] : [];
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
    // The queue may belong to a deployment whose namespace has this one as a prefix.
    const parts = /^([a-z0-9_-]+)\.[a-z0-9_-]+(\.dead|\.dead-letters)?$/.exec(name.slice(namespace.length + 1));
    if (!parts || unknownServices.includes(parts[1] as string)) return [];
    return [{ kind: 'orphaned_queue', name, bindings: actual.bindings.filter(({ queue: of }) => of === name) }];
  });
}

function keyOf({ exchange, queue, routingKey }: Binding): string {
  return JSON.stringify([exchange, queue, routingKey]);
}
