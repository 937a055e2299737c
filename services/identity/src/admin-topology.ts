import {
  checkTopology,
  type DeclaredConsumer,
  type Difference,
  defaultManagementUrl,
  moveMessages,
  type Repair,
} from '@tandem/events';

interface Fleet {
  amqpUrl: string;
  managementUrl: string | undefined;
  namespace: string;
  /** Base URL by service name. */
  services: ReadonlyMap<string, string>;
}

// During a rollout a load balancer may route to either release, so the declared consumers are the union of several
// responses.
const requestsPerService = 5;
const requestTimeoutMs = 3_000;

/**
 * Compares the broker with what the running services declare and prints one line per difference.
 * @returns whether there are no differences, or all of them were repaired
 */
export async function topology(fleet: Fleet, { repair }: { repair: boolean }): Promise<boolean> {
  const { consumers, unknownServices } = await declaredConsumers(fleet.services);
  for (const service of unknownServices)
    console.log(`${service} does not respond: its queues are neither compared nor removed`);
  const { differences, repairs } = await checkTopology({
    url: fleet.amqpUrl,
    managementUrl: fleet.managementUrl ?? defaultManagementUrl(fleet.amqpUrl),
    namespace: fleet.namespace,
    consumers,
    unknownServices,
    repair,
  });
  if (!differences.length)
    console.log(
      unknownServices.length
        ? 'No differences were found for the other services.'
        : 'The broker matches the declarations of the services.',
    );
  else if (repair) for (const one of repairs) console.log(`${describe(one.difference)}: ${outcomeOf(one)}`);
  else for (const one of differences) console.log(describe(one));
  return !unknownServices.length && (repair ? repairs.every((one) => 'done' in one) : !differences.length);
}

/** Moves all messages from an orphaned queue to the queue of a consumer. */
export async function moveQueue(fleet: Fleet, from: string, consumer: string): Promise<boolean> {
  const { consumers } = await declaredConsumers(fleet.services);
  const source = from.startsWith(`${fleet.namespace}.`) ? from : `${fleet.namespace}.${from}`;
  if (consumers.some(({ queue }) => queue === source)) throw new Error(`${from} is the queue of a running consumer`);
  const moved = await moveMessages({ url: fleet.amqpUrl, from: source, to: `${fleet.namespace}.${consumer}` });
  console.log(`${moved} messages moved to ${consumer}`);
  return true;
}

/** Fetches the declared consumers of every service. */
async function declaredConsumers(
  services: ReadonlyMap<string, string>,
): Promise<{ consumers: DeclaredConsumer[]; unknownServices: string[] }> {
  const eventsByQueue = new Map<string, Set<string>>();
  const unknownServices: string[] = [];
  for (const [service, address] of services) {
    const declared = await fetchConsumers(address);
    if (!declared) unknownServices.push(service);
    for (const { queue, events } of declared ?? [])
      eventsByQueue.set(queue, new Set([...(eventsByQueue.get(queue) ?? []), ...events]));
  }
  return { consumers: [...eventsByQueue].map(([queue, events]) => ({ queue, events: [...events] })), unknownServices };
}

async function fetchConsumers(address: string): Promise<DeclaredConsumer[] | undefined> {
  const consumers: DeclaredConsumer[] = [];
  for (let attempt = 0; attempt < requestsPerService; attempt++) {
    const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(requestTimeoutMs) };
    const response = await fetch(`${address}/topology`, options).catch(() => undefined);
    if (!response?.ok) return undefined;
    consumers.push(...((await response.json()) as { consumers: DeclaredConsumer[] }).consumers);
  }
  return consumers;
}

function describe(difference: Difference): string {
  switch (difference.kind) {
    case 'missing_exchange':
      return `missing exchange ${difference.name}`;
    case 'missing_queue':
      return `missing queue ${difference.name}`;
    case 'missing_binding':
      return `missing binding ${bindingText(difference.binding)}`;
    case 'extra_binding':
      return `extra binding ${bindingText(difference.binding)}`;
    case 'wrong_arguments':
      return `wrong arguments of queue ${difference.name}: ${JSON.stringify(difference.actual)} instead of ${JSON.stringify(difference.expected)}`;
    case 'orphaned_queue':
      return `orphaned queue ${difference.name}`;
    case 'former_dead_queue':
      return `dead letters of an earlier release in ${difference.name}`;
  }
}

function bindingText({ exchange, queue, routingKey }: (Difference & { kind: 'missing_binding' })['binding']): string {
  return `${exchange} -> ${queue} (${routingKey})`;
}

function outcomeOf(repair: Repair): string {
  return 'done' in repair ? repair.done : repair.remedy;
}
