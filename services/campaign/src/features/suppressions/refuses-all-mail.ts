import type { Tools, Tx } from '../../handler.ts';
import { suppressingDigests } from './address.ts';

/**
 * Whether an address must not even get messages that are no marketing: it bounces, complained, or was blocked by the
 * tenant. An unsubscription and a pause are about marketing.
 */
export async function refusesAllMail(tools: Pick<Tools, 'seal'>, tx: Tx, address: string): Promise<boolean> {
  const digests = suppressingDigests(tools, 'email', address);
  const [found] = await tx.sql<{ refuses: boolean }>`SELECT EXISTS (SELECT FROM suppression
    WHERE tenant_id = platform.tenant_id() AND environment = platform.environment() AND channel = 'email'
      AND digest = ANY(${digests}::text[]) AND topic_id IS NULL AND reason <> 'unsubscribe') AS refuses`;
  return found?.refuses ?? false;
}
