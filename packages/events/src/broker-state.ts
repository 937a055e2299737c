import type { Binding, QueueArguments } from './topology.ts';

/** The exchanges, queues and bindings of one namespace on the broker. */
export interface BrokerState {
  exchanges: { name: string; type: string }[];
  queues: { name: string; arguments: QueueArguments }[];
  /** Bindings of queues, without the default-exchange binding that every queue has. */
  bindings: Binding[];
}

const timeoutMs = 15_000;

/**
 * The default address of a broker's management API: same host and credentials, default port, and the virtual host as
 * path.
 */
export function defaultManagementUrl(amqpUrl: string): string {
  const { username, password, hostname, pathname, protocol } = new URL(amqpUrl);
  const [scheme, port] = protocol === 'amqps:' ? ['https', 15671] : ['http', 15672];
  return `${scheme}://${username}:${password}@${hostname}:${port}${pathname}`;
}

/**
 * Reads exchanges, queues and bindings from RabbitMQ's management API; AMQP itself cannot list them.
 * @param url `http://user:password@host:15672/<virtual host>`
 * @throws when the API does not answer, with the reason
 */
export async function readBrokerState(url: string, namespace: string): Promise<BrokerState> {
  const { origin, username, password, pathname } = new URL(url);
  const virtualHost = pathname.length > 1 ? pathname.slice(1) : '%2F';
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
  const read = async <T>(kind: string): Promise<T[]> => {
    const response = await fetch(`${origin}/api/${kind}/${virtualHost}`, {
      headers: { authorization },
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new Error(`RabbitMQ's management API does not respond at ${origin}`, { cause: error });
    });
    if (!response.ok) throw new Error(`RabbitMQ's management API returned ${response.status} at ${origin}`);
    return (await response.json()) as T[];
  };
  const isOurs = (name: string) => name.startsWith(`${namespace}.`);
  const [exchanges, queues, bindings] = await Promise.all([
    read<{ name: string; type: string }>('exchanges'),
    read<{ name: string; arguments: QueueArguments }>('queues'),
    read<{ source: string; destination: string; destination_type: string; routing_key: string }>('bindings'),
  ]);
  return {
    exchanges: exchanges.filter(({ name }) => isOurs(name)),
    queues: queues.filter(({ name }) => isOurs(name)),
    bindings: bindings
      .filter(({ source, destination_type: kind }) => isOurs(source) && kind === 'queue')
      .map(({ source, destination, routing_key: routingKey }) => ({
        exchange: source,
        queue: destination,
        routingKey,
      })),
  };
}
