import type { suppressions } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { checkSuppressions } from './check-suppressions.ts';
import { createSuppression } from './create-suppression.ts';
import { deleteSuppression } from './delete-suppression.ts';
import { importSuppressions } from './import-suppressions.ts';
import { listSuppressions } from './list-suppressions.ts';

export const suppressionHandlers = (tools: Pick<Tools, 'seal'>) =>
  ({
    createSuppression: createSuppression(tools),
    listSuppressions: listSuppressions(tools),
    deleteSuppression,
    checkSuppressions: checkSuppressions(tools),
    importSuppressions: importSuppressions(tools),
  }) satisfies Handlers<typeof suppressions, Tx>;
