import type { Tx } from '../../handler.ts';
import type { ContactLink } from './contact-links.ts';

/**
 * Those of the topics that the link of a message offers: the public ones, and that of the message. Locks them against deletion
 * until the end of the transaction, because suppressions will name them.
 */
export async function offeredTopics(
  tx: Tx,
  { topicId: ofMessage }: Pick<ContactLink, 'topicId'>,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (!ids.length) return new Set();
  const rows = await tx.sql<{ id: number; public: boolean }>`SELECT id, public FROM topic
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND id = ANY(${ids}::bigint[])
    ORDER BY id FOR KEY SHARE`;
  return new Set(rows.filter((row) => row.public || row.id === ofMessage).map(({ id }) => id));
}
