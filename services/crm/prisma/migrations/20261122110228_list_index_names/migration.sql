-- These replaced indexes of the same names.
ALTER INDEX "lead_tenant_id_environment_team_id_created_at_id_idx_partial" RENAME TO "lead_tenant_id_environment_team_id_created_at_id_idx";
