import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { unknownId } from '@tandem/contract';
import { asService, failField } from '@tandem/service';
import type { Peers } from './handler.ts';

/** Fails with a field error unless the id is a partner of the caller's tenant. */
export async function checkPartner(
  { partner }: Pick<Peers, 'partner'>,
  id: number | null | undefined,
  caller: Caller,
  field = 'partnerId',
): Promise<void> {
  if (id === null || id === undefined) return;
  const found = await orAbsent(partner.findPartner({ params: { id }, as: asService(caller) }));
  if (!found) throw failField(field, unknownId('partner'));
}
