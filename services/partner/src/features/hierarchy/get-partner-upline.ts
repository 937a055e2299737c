import type { hierarchy } from '@tandem/partner-contract';
import type { Handler } from '../../handler.ts';
import { readPartner } from '../partners/partner.ts';
import { asNodes, findAbove, readAll } from './node.ts';

export const getPartnerUpline: Handler<typeof hierarchy.getPartnerUpline> = async ({ params, tx }) => {
  const { id } = await readPartner(tx, params.id);
  const above = await findAbove(tx, id);
  return asNodes(
    tx,
    await readAll(
      tx,
      above.map((id, index) => ({ id, depth: -index - 1 })),
    ),
  );
};
