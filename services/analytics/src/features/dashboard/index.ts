import type { dashboards } from '@tandem/analytics-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getDashboard } from './get-dashboard.ts';

export const dashboardHandlers = (tools: Tools) =>
  ({ getDashboard: getDashboard(tools) }) satisfies Handlers<typeof dashboards, Tx>;
