ALTER TABLE "team" VALIDATE CONSTRAINT "team_tenant_id_parent_team_id_fkey";
