import { fail } from '@tandem/service';
import { type Period, periodNamed } from '../forecast/periods.ts';

/**
 * The period with this name in a time zone.
 * @throws 409 `period_closed` naming `period` when it has ended
 */
export function openPeriod(name: string, timezone: string): Period {
  const period = periodNamed(name, timezone);
  if (period.to <= new Date())
    throw fail('period_closed', [{ field: 'period', message: `${name} has ended; use a current or later period` }]);
  return period;
}
