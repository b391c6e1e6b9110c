-- Only for PostgreSQL: the time that all boxes go by. A row of hive_clock stands in for it in tests.
CREATE TABLE hive_clock (
    org TEXT NOT NULL PRIMARY KEY,
    now BIGINT NOT NULL
);

CREATE FUNCTION hive_now(of_org TEXT) RETURNS BIGINT LANGUAGE SQL AS $$
    SELECT COALESCE(
        (SELECT c.now FROM hive_clock c WHERE c.org = of_org),
        CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT))
$$;
