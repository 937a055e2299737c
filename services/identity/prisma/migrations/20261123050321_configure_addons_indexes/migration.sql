CREATE INDEX CONCURRENTLY IF NOT EXISTS "installed_addon_uninstalled_at_idx" ON "installed_addon"("uninstalled_at");
