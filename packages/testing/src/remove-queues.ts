import { defaultManagementUrl } from '@tandem/events';

const timeoutMs = 15_000;

/**
 * Deletes the queues and exchanges of a namespace. Even an idle quorum queue uses memory of the broker. With the queues
 * of a whole test run the broker would reach its memory limit and block every publisher.
 * @throws when the management API of the test broker does not answer
 */
export async function removeQueues(namespace: string): Promise<void> {
  const { TEST_AMQP_MANAGEMENT_URL: managementUrl, TEST_AMQP_URL: amqpUrl = '' } = process.env;
  const { origin, username, password, pathname } = new URL(managementUrl ?? defaultManagementUrl(amqpUrl));
  const virtualHost = pathname.length > 1 ? pathname.slice(1) : '%2F';
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
  const request = async (path: string, method: 'GET' | 'DELETE' = 'GET'): Promise<Response> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(`${origin}/api/${path}`, { method, headers: { authorization }, signal });
    const isGone = method === 'DELETE' && response.status === 404;
    if (!response.ok && !isGone) throw new Error(`RabbitMQ's management API returned ${response.status} for ${path}`);
    return response;
  };
  for (const kind of ['queues', 'exchanges']) {
    const listed = await request(`${kind}/${virtualHost}?columns=name`);
    const names = ((await listed.json()) as { name: string }[]).map(({ name }) => name);
    const ours = names.filter((name) => name.startsWith(`${namespace}.`));
    await Promise.all(ours.map((name) => request(`${kind}/${virtualHost}/${encodeURIComponent(name)}`, 'DELETE')));
  }
}
