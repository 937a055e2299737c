import type { triggers } from '@tandem/campaign-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { rotateWorkflowSecret } from '../workflow-secrets/rotate-workflow-secret.ts';
import { ingestWorkflowEvent } from './ingest-workflow-event.ts';
import { triggerSignedWorkflow } from './trigger-signed-workflow.ts';
import { triggerWorkflow } from './trigger-workflow.ts';

export const triggerHandlers = (tools: Tools) =>
  ({
    triggerWorkflow: triggerWorkflow(tools),
    triggerSignedWorkflow: triggerSignedWorkflow(tools),
    rotateWorkflowSecret: rotateWorkflowSecret(tools),
    ingestWorkflowEvent: ingestWorkflowEvent(tools),
  }) satisfies Handlers<typeof triggers, Tx>;
