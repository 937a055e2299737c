import { suppressionRemoved, type suppressions } from '@tandem/campaign-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asSuppression, eventOf } from './suppression.ts';

export const deleteSuppression: Handler<typeof suppressions.deleteSuppression> = async ({
  params,
  query: { confirm, note },
  tx,
  emit,
}) => {
  const row = await tx.suppression.lockFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  const suppression = asSuppression(row);
  const isOfPerson = suppression.reason === 'unsubscribe' || suppression.reason === 'complaint';
  if (isOfPerson && (!confirm || !note?.trim()))
    throw fail('confirmation_required', [
      ...(confirm ? [] : [{ field: 'confirm', message: 'Must be true' }]),
      ...(note?.trim() ? [] : [{ field: 'note', message: 'Must state why the suppression is removed' }]),
    ]);
  await tx.suppression.deleteMany({ where: { id: suppression.id } });
  const { data, record } = eventOf(suppression);
  emit(suppressionRemoved, { data: { ...data, note: note ?? null }, record });
  return { id: suppression.id, deleted: true };
};
