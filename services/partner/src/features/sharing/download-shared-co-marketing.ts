import type { sharing } from '@tandem/partner-contract';
import type { Handler, Tools } from '../../handler.ts';
import { downloadShared } from './shared.ts';

export const downloadSharedCoMarketing =
  (tools: Tools): Handler<typeof sharing.downloadSharedCoMarketing> =>
  ({ params, caller, tx, inTenant }) =>
    downloadShared({ ...params, tx, inTenant }, caller, tools);
