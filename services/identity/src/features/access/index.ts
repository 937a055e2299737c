import type { internalAccess, internalRefusals } from '@tandem/identity-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { readUsage } from './read-usage.ts';
import { recordRefusals } from './record-refusals.ts';
import { recordUsage } from './record-usage.ts';
import { reportUsage } from './report-usage.ts';
import { resolveKey } from './resolve-key.ts';
import { resolveSession } from './resolve-session.ts';

export const accessHandlers = (tools: Tools) =>
  ({
    resolveKey: resolveKey(tools),
    resolveSession,
    readUsage,
    recordUsage,
    reportUsage: reportUsage(),
    recordRefusals,
  }) satisfies Handlers<typeof internalAccess & typeof internalRefusals, Tx>;
