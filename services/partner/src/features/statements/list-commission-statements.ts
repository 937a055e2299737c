import type { KnownSettings } from '@tandem/identity-contract';
import type { statements } from '@tandem/partner-contract';
import type { Context } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { postMissing } from '../ledger/post-missing.ts';
import { monthsWith } from '../months/time-zone.ts';
import { readPartner } from '../partners/partner.ts';
import { asStatement, firstOpenMonth } from './statement.ts';
import { sumUp } from './sums.ts';

export const listCommissionStatements = (
  tools: Tools,
): Handler<typeof statements.listCommissionStatements, KnownSettings> => ({
  check: ({ caller }) => tools.settingsOf(caller),
  async run(context) {
    const { id: partnerId } = await readPartner(context.tx, context.params.id);
    return listStatements(context, partnerId, tools);
  },
});

type Listing = Pick<Context<typeof statements.listCommissionStatements, Tx>, 'query' | 'caller' | 'tx' | 'list'> & {
  found: KnownSettings;
};

/** A page of the statements of a partner. */
export async function listStatements(
  { query, caller, tx, list, found: settings }: Listing,
  partnerId: number,
  tools: Pick<Tools, 'links' | 'publicUrl'>,
  { hidesDeals = false } = {},
) {
  const { period, status } = query;
  await postMissing(tx, partnerId);
  const now = new Date();
  const months = await monthsWith(tx, settings);
  const open = { finalizedAt: null, period: { gte: firstOpenMonth(months, now) } };
  const page = await list({
    model: tx.statement,
    where: { partnerId },
    and: [...(period ? [{ period }] : []), ...(status ? [status === 'open' ? open : { NOT: open }] : [])],
  });
  const sums = await sumUp(tx, page.items);
  const { environment } = caller;
  const scope = { tenantId: caller.tenantId as number, environment, ...(hidesDeals && { hidesDeals }) };
  const items = page.items.map((row) => {
    const { finalizedAt, ...statement } = asStatement(row, sums(row), { months, now, tools, scope });
    return statement;
  });
  return { ...page, items };
}
