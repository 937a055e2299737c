import type { Metrics } from '@tandem/process';
import type { ConfirmChannel } from 'amqplib';
import type { Broker } from './broker.ts';
import { isNotFound } from './topology.ts';

/**
 * Exports the depth of the queues and of their dead letters, read from the broker at every scrape.
 * @param onMissing called for a queue of a consumer that does not exist. The broker ends the connection then, and the
 *   consumer, which declares the queue on the next one, may not have been told.
 */
export function watchQueues(
  queues: readonly string[],
  broker: Broker,
  { metrics, onMissing }: { metrics: Metrics; onMissing: (queue: string) => void },
): void {
  let channel: ConfirmChannel | undefined;
  void broker.onConnection(async (opened) => {
    channel = opened;
    opened.on('close', () => {
      if (channel === opened) channel = undefined;
    });
  });
  const readDepth =
    (nameOf: (queue: string) => string) => async (gauge: { set(labels: { queue: string }, value: number): void }) => {
      for (const queue of queues) {
        // Without an error, the scrape would show the last depth for as long as the broker is away.
        if (!channel) throw new Error('No connection to the broker');
        const { messageCount } = await channel.checkQueue(nameOf(queue)).catch((error: unknown) => {
          if (isNotFound(error) && nameOf(queue) === queue) onMissing(queue);
          throw error;
        });
        gauge.set({ queue }, messageCount);
      }
    };
  metrics.gauge(
    'queue_depth',
    'Events waiting in the queue of a consumer',
    ['queue'],
    readDepth((queue) => queue),
  );
  metrics.gauge('dead_letters', 'Dead letters of a consumer', ['queue'], readDepth(broker.names.deadQueue));
}
