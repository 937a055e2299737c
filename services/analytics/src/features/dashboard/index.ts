import type { dashboards } from '@tandem/analytics-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { getDashboard } from './get-dashboard.ts';

export const dashboardHandlers = { getDashboard } satisfies Handlers<typeof dashboards, Tx>;
