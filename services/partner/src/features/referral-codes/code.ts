import type { ReferralCode } from '@tandem/partner-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { ReferralCode as CodeRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';

export type CodeRecord = z.output<typeof ReferralCode>;
type Links = Pick<Tools, 'ids' | 'publicUrl'>;
type Usable = Pick<CodeRow, 'isActive' | 'expiresAt' | 'maxUses'>;

/** Adds the uses and the link to rows. */
export async function asCodes(tx: Tx, rows: readonly CodeRow[], links: Links): Promise<CodeRecord[]> {
  const uses = await usesOf(
    tx,
    rows.map(({ code }) => code),
  );
  return rows.map((row) => ({ ...row, uses: uses.get(row.code) ?? 0, link: linkOf(row, links) }));
}

/** Converts a row to the contract's `ReferralCode`. */
export async function asCode(tx: Tx, row: CodeRow, links: Links): Promise<CodeRecord> {
  const [code] = await asCodes(tx, [row], links);
  return code as CodeRecord;
}

/** Locks a code of a partner; 404 if there is none. */
export async function lockCode(tx: Tx, { id: partnerId, codeId }: { id: number; codeId: number }): Promise<CodeRow> {
  const row = await tx.referralCode.lockFirst({ where: { id: codeId, partnerId }, sharesKey: true });
  if (!row) throw fail('not_found');
  return row;
}

/** Updates a locked code and increments its version. */
export async function writeCode(
  tx: Tx,
  id: number,
  data: Parameters<Tx['referralCode']['updateManyAndReturn']>[0]['data'],
): Promise<CodeRow> {
  const [row] = await tx.referralCode.updateManyAndReturn({
    where: { id },
    data: { ...data, version: { increment: 1 } },
  });
  if (!row) throw fail('not_found');
  return row;
}

/** Event data and record of a code. */
export function codeEvent(record: CodeRecord) {
  return { data: { referralCodeId: record.id, partnerId: record.partnerId }, record };
}

/** How many leads each code has attributed. Void referrals do not count, so that a code gets these uses back. */
export async function usesOf(tx: Tx, codes: readonly string[]): Promise<Map<string, number>> {
  if (!codes.length) return new Map();
  const rows = await tx.sql<{ code: string; uses: number }>`
    SELECT code, count(*) AS uses FROM referral
    WHERE code = ANY(${codes}) AND status <> 'void' AND (status, flag_reason) IS DISTINCT FROM ('flagged', 'unconfirmed_form') GROUP BY code`;
  return new Map(rows.map(({ code, uses }) => [code, uses]));
}

/** Why a code attributes no lead; undefined if it does. */
export function unusable({ isActive, expiresAt, maxUses }: Usable, uses: number, at: Date): string | undefined {
  if (!isActive) return 'The code is inactive';
  if (expiresAt && expiresAt <= at) return 'The code has expired';
  if (maxUses !== null && uses >= maxUses) return 'The code is used up';
  return undefined;
}

/** The public address of a code. The sandbox is part of it, because a browser sends no `X-Environment`. */
function linkOf({ tenantId, environment, code }: CodeRow, { ids, publicUrl }: Links): string {
  const query = environment === 'sandbox' ? '?environment=sandbox' : '';
  return `${publicUrl}/v1/public/r/${ids.encode('tenant', tenantId, tenantId)}/${code}${query}`;
}
