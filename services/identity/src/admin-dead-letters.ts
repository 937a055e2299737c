import { type DeadLetter, listDeadLetters, replayDeadLetters } from '@tandem/events';
import { UsageError } from './admin-arguments.ts';
import { readMetrics } from './admin-services.ts';
import { printTable } from './admin-table.ts';

interface Broker {
  url: string;
  namespace: string;
}

/** Prints the number of dead letters of every consumer, as reported on /metrics. */
export async function printDeadLetterCounts(namespace: string): Promise<true> {
  const counts = (await readMetrics()).flatMap(({ text = '' }) =>
    [...text.matchAll(/^tandem_dead_letters\{(.*)\} (\S+)$/gm)].map(([, labels, count]): [string, string] => {
      const queue = /queue="([^"]+)"/.exec(labels as string)?.[1] as string;
      return [queue.slice(namespace.length + 1), count as string];
    }),
  );
  return printTable(
    ['CONSUMER', 'DEAD LETTERS'],
    counts.sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Prints the dead letters of a consumer, or the one with `id` in full. */
export async function printDeadLetters(broker: Broker, consumer: string, id: string | undefined): Promise<true> {
  const deadLetters = await listDeadLetters(consumerQueue(broker, consumer));
  if (id !== undefined) return printDeadLetter(deadLetters.find(({ eventId }) => eventId === id));
  return printTable(
    ['DIED', 'EVENT', 'ID', 'ATTEMPTS', 'REASON', 'ERROR'],
    deadLetters.map((one) => [one.diedAt, one.name, one.eventId, one.attempts, one.reason, one.error]),
  );
}

/** Sends the dead letters of a consumer to its queue again. */
export async function replay(broker: Broker, consumer: string): Promise<true> {
  const count = await replayDeadLetters(consumerQueue(broker, consumer));
  console.log(`${count} replayed`);
  return true;
}

/** @throws UsageError unless `consumer` has the form `<service>.<consumer>` */
export function checkConsumer(consumer: string): void {
  if (!/^[a-z-]+\.[a-z-]+$/.test(consumer))
    throw new UsageError(`"${consumer}" is not a consumer; use <service>.<consumer>, such as crm.detect-duplicates.`);
}

function consumerQueue(broker: Broker, consumer: string) {
  checkConsumer(consumer);
  return { ...broker, consumer };
}

function printDeadLetter(deadLetter: DeadLetter | undefined): true {
  if (!deadLetter) throw new Error('none of the first 100 dead letters has this id');
  const { fullError, error, ...facts } = deadLetter;
  for (const [name, value] of Object.entries(facts)) console.log(`${name}: ${value}`);
  console.log(`\n${fullError}`);
  return true;
}
