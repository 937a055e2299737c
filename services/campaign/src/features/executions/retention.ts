import { executionStepDays } from '@tandem/campaign-contract';
import type { Purge } from '@tandem/service';

/**
 * Deletes the steps of executions that ended long ago; the executions stay. A batch is counted in executions, which have a
 * few steps each, and marks them, so that no run looks at them again. A retry of an execution removes the mark.
 */
export const stepRetention: Purge = {
  table: 'execution_step',
  days: executionStepDays,
  statement: `
    WITH ended AS MATERIALIZED (
      SELECT tenant_id, environment, id FROM execution
      WHERE NOT steps_purged AND ended_at < now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2),
    removed AS (
      DELETE FROM execution_step AS step USING ended
      WHERE step.tenant_id = ended.tenant_id AND step.environment = ended.environment AND step.execution_id = ended.id),
    marked AS (
      UPDATE execution SET steps_purged = true FROM ended
      WHERE execution.tenant_id = ended.tenant_id AND execution.environment = ended.environment
        AND execution.id = ended.id)
    SELECT FROM ended`,
};
