import type { funnels } from '@tandem/analytics-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getFunnel } from './get-funnel.ts';
import { queryFunnel } from './query-funnel.ts';

export const funnelHandlers = (tools: Tools) =>
  ({ getFunnel: getFunnel(tools), queryFunnel: queryFunnel(tools) }) satisfies Handlers<typeof funnels, Tx>;
