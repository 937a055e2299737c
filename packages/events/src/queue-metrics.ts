import type { Metrics } from '@tandem/process';
import type { ConfirmChannel } from 'amqplib';
import type { Broker } from './broker.ts';

/** Depth of the queues and of their dead letters, read from the broker at every scrape. */
export function watchQueues(queues: readonly string[], broker: Broker, metrics: Metrics): void {
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
        const found = await channel?.checkQueue(nameOf(queue));
        if (found) gauge.set({ queue }, found.messageCount);
      }
    };
  metrics.gauge(
    'queue_depth',
    'Events waiting for a consumer',
    ['queue'],
    readDepth((queue) => queue),
  );
  metrics.gauge('dead_letters', 'Events a consumer gave up on', ['queue'], readDepth(broker.names.deadQueue));
}
