import type { KnownSettings } from '@tandem/identity-contract';
import type { statements } from '@tandem/partner-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { monthsWith } from '../months/time-zone.ts';
import { readPartner } from '../partners/partner.ts';
import { finalizeStatements } from './finalize-statements.ts';
import { scheduleMonths } from './schedule-months.ts';
import { finalFrom, showStatement } from './statement.ts';

export const createCommissionStatement = (
  tools: Tools,
): Handler<typeof statements.createCommissionStatement, KnownSettings> => ({
  check: ({ caller }) => tools.settingsOf(caller),
  async run({ params, body, caller, tx, emit, schedule, found: settings }) {
    const { periodStart, periodEnd, currency } = body;
    const { id: partnerId } = await readPartner(tx, params.id);
    const months = await monthsWith(tx, settings);
    if (periodStart > new Date()) throw failField('periodStart', 'Must not be in the future');
    const period = months.of(periodStart);
    const { start, end } = months.boundsOf(period);
    if (start.getTime() !== periodStart.getTime())
      throw failField(
        'periodStart',
        `Must be the start of a month in the time zone of the tenant, such as ${start.toISOString()}`,
      );
    if (end.getTime() !== periodEnd.getTime())
      throw failField('periodEnd', `Must be the end of the same month, ${end.toISOString()}`);
    const [row] = await tx.statement.createManyAndReturn({
      data: [{ partnerId, period, currency }],
      skipDuplicates: true,
    });
    if (!row)
      throw fail('statement_exists', [
        { field: 'periodStart', message: `There is a statement of ${period} in ${currency}` },
      ]);
    const isPast = finalFrom(months, period) <= new Date();
    const [shown = row] = isPast ? await finalizeStatements({ tx, emit }, [row]) : [];
    if (!isPast) await scheduleMonths({ tx, schedule }, [partnerId]);
    const scope = { tenantId: caller.tenantId as number, environment: caller.environment };
    return showStatement(tx, shown, { tools, scope });
  },
});
