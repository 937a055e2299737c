-- New rows wait in a pending list and enter the index together. The write that fills the list waits for that: up to 0.3 s at
-- the default of 4 MB, about 10 ms at 512 kB, for the same total cost. Each search also reads the whole list.
ALTER INDEX "partner_lookup" SET (gin_pending_list_limit = 512);
