import type { imports } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { accountTarget } from './account-target.ts';
import { analyseImport } from './analyse-import.job.ts';
import { createImport } from './create-import.ts';
import type { Files } from './fetch-file.ts';
import { getImport } from './get-import.ts';
import { getImportErrors } from './get-import-errors.ts';
import { leadTarget } from './lead-target.ts';
import { listImports } from './list-imports.ts';
import { opportunityTarget } from './opportunity-target.ts';
import { runImport } from './run-import.job.ts';
import { startImport } from './start-import.ts';
import { undoImport as undoImportJob } from './undo-import.job.ts';
import { undoImport } from './undo-import.ts';
import { updateImport } from './update-import.ts';

/** The handlers and jobs of imports. */
export function importsOf({ peers, files, ids }: { peers: Peers; files: Files; ids: IdCodec }) {
  const lead = leadTarget(peers, ids);
  const account = accountTarget(peers, ids);
  const opportunity = opportunityTarget(peers, ids);
  const tools = { files, ids, peers, targets: { lead, account, opportunity } };
  return {
    handlers: {
      createLeadImport: createImport(files, lead),
      listLeadImports: listImports('lead'),
      getLeadImport: getImport('lead'),
      updateLeadImport: updateImport(lead),
      startLeadImport: startImport(lead),
      undoLeadImport: undoImport(lead),
      getLeadImportErrors: getImportErrors('lead'),
      createAccountImport: createImport(files, account),
      listAccountImports: listImports('account'),
      getAccountImport: getImport('account'),
      updateAccountImport: updateImport(account),
      startAccountImport: startImport(account),
      undoAccountImport: undoImport(account),
      getAccountImportErrors: getImportErrors('account'),
      createOpportunityImport: createImport(files, opportunity),
      listOpportunityImports: listImports('opportunity'),
      getOpportunityImport: getImport('opportunity'),
      updateOpportunityImport: updateImport(opportunity),
      startOpportunityImport: startImport(opportunity),
      undoOpportunityImport: undoImport(opportunity),
      getOpportunityImportErrors: getImportErrors('opportunity'),
    } satisfies Handlers<typeof imports, Tx>,
    jobs: [analyseImport(tools), runImport(tools), undoImportJob(tools)],
  };
}
