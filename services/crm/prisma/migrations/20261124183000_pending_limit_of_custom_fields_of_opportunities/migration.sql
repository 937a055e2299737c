-- An earlier migration built the index again without its limit of pending entries (see *_lookup_pending).
ALTER INDEX "opportunity_custom_fields" SET (gin_pending_list_limit = 512);
