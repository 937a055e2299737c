-- These replaced indexes of the same names.
ALTER INDEX "file_tenant_id_environment_created_at_id_idx_partial" RENAME TO "file_tenant_id_environment_created_at_id_idx";
ALTER INDEX "file_tenant_id_environment_filename_id_idx_partial" RENAME TO "file_tenant_id_environment_filename_id_idx";
ALTER INDEX "file_tenant_id_environment_size_id_idx_partial" RENAME TO "file_tenant_id_environment_size_id_idx";
ALTER INDEX "file_tenant_id_environment_team_id_created_at_id_idx_partial" RENAME TO "file_tenant_id_environment_team_id_created_at_id_idx";
