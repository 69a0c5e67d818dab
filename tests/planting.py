"""Secrets planted into files of every kind, on lines that are well-formed and on lines that are not.

Nothing is known of the formats: a sample's own reader says where keys and values stand, and these places get other
texts. So a planted file is often one that its reader refuses, which is when excerpts and messages of errors matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from flink_flint.linter.model.document import Document
from flink_flint.linter.text.spans import Span, apply_edits

JAAS = "org.apache.kafka.common.security.plain.PlainLoginModule required username='u' password='{secret}';"


class Form(NamedTuple):
    """A way to write a secret: the replacements for a key, for the text between key and value, and for the value."""

    name: str
    key: str | None
    between: str | None
    value: str


FORMS = (
    Form("well-formed", "s3.secret-key", None, "{secret}"),
    Form("misspelt word", "security.ssl.rest.key-pasword", None, "{secret}"),
    Form("misspelt other word", "s3.acces-key", None, "{secret}"),
    Form("letters swapped", "client.secert", None, "{secret}"),
    Form("environment", "AWS_SECRET_ACCESS_KEY", None, "{secret}"),
    Form("camel case", "dbPassword", None, "{secret}"),
    Form("no separator", "s3.secret-key", " ", "{secret}"),
    Form("no separator, misspelt", "s3.secert-key", " ", "{secret}"),
    Form("equals sign", "s3.secret-key", "=", "{secret}"),
    Form("colon without blank", "s3.access-key", ":", "{secret}"),
    Form("address", None, None, "s3://user:{secret}@bucket/path"),
    Form("address with a slash in the password", None, None, "jdbc:x://user:{secret}/a@db:5432/orders"),
    Form("address without a scheme", None, None, "user:{secret}@db.example.com/orders"),
    Form("shared access signature", None, None, "https://a.blob.core.windows.net/c?sv=2022&sig={secret}"),
    Form("JAAS", None, None, JAAS),
    Form("JAAS under its key", "properties.sasl.jaas.config", None, JAAS),
    Form("option of a JVM", None, None, "-Djavax.net.ssl.keyStorePassword={secret} -Xmx1g"),
    Form("connection string", None, None, "Endpoint=sb://x;SharedAccessKeyName=n;SharedAccessKey={secret}"),
)


class Planted(NamedTuple):
    """A text with secrets in it."""

    text: str
    secrets: tuple[tuple[str, str], ...]
    """The name of the form, and the secret."""


def planted(document: Document, first: int) -> Planted:
    """Return the text of a document with secrets in place of its entries, in the forms from number `first` on."""
    edits = []
    secrets = []
    done = 0
    for number, (key, value) in enumerate(_places(document)):
        form = FORMS[(first + number) % len(FORMS)]
        secret = f"hush{number:02}x7f3aQQ{first:02}"
        if key.start < done or value.start < key.end:
            continue
        if form.key is not None:
            edits.append((key, form.key))
        if form.between is not None:
            edits.append((Span(key.end, value.start), form.between))
        edits.append((value, form.value.format(secret=secret)))
        secrets.append((form.name, secret))
        done = value.end
    from flink_flint.linter.text.spans import Edit

    return Planted(apply_edits(document.text, [Edit(*one) for one in edits]), tuple(secrets))


def _places(document: Document) -> Iterator[tuple[Span, Span]]:
    """Return the places of keys and values that are verbatim in the document's text, in order and not overlapping."""
    text = document.text
    for entry in sorted(document.entries, key=lambda entry: entry.key_span):
        (start, end), value = entry.key_span, entry.value_span
        if start < end <= value.start < value.end and "\n" not in text[start : value.end]:
            yield Span(start, end), value


# -- texts that are not read as settings

PROGRAM = """import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
class Job {{
  // s3.secret-key {0}
  static final String DB_PASSWORD = "{1}";
  public static void main(String[] args) {{
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    AWSCredentials c = new BasicAWSCredentials("AKIAIOSFODNN7EXAMPLE", "{2}");
    Configuration config = new Configuration();
    config.setString("s3.secret-key", "{3}"); config.setString("s3.secert-key", "{4}");
    config.setString("rest.port", "{5}"); config.setString("s3.access-key", "{5}");
    KafkaSource.<String>builder().setProperty("sasl.jaas.config", "x required password=\\"{6}\\";").build();
    JdbcSink.sink("insert", b, new JdbcConnectionOptionsBuilder().withUrl("jdbc:x://u:{7}@h/d").withPassword("{8}").build());
    env.executeSql("CREATE TABLE t (a INT) WITH ('connector'='jdbc', 'pasword'='{9}', 'password' = '{10}')");
    new Credentials("user", "{11}"); env.execute();
  }}
}}
"""
PYTHON = """from pyflink.table import TableEnvironment
t_env = TableEnvironment.create(settings)
os.environ["AWS_SECRET_ACCESS_KEY"] = "{0}"
t_env.get_config().set("s3.secret-key", "{1}")
t_env.get_config().set("s3.secert-key", '{2}')
t_env.get_config().set("parallelism.default", "{1}")
connect(user="u", password="{3}", options={{"token": "{4}", 'api_key': '{5}'}})
t_env.execute_sql("CREATE TABLE t (a INT) WITH ('connector'='jdbc', 'pasword'='{6}', 'url'='jdbc:x://u:{7}@h/d')")
"""
SQL = """CREATE TABLE t (a INT) WITH ('connector'='jdbc','url'='jdbc:mysql://u:{0}@h/d','pasword'='{1}','password'='{2}');
SET 's3.secret-key' '{3}';
SET s3.secret-key {4};
SET 's3.secert-key'='{5}';
CREATE CATALOG c WITH ('type'='jdbc', 'default-database'='d', 'secret-token' = '{6}', 'base-url'='u:{7}@h:1/d');
-- password: {8}
"""
CONF = """s3.secret-key {0}
s3.secret-key={1}
fs.azure.account.key.x.blob.core.windows.net {2}
fs.azure.acount.key.x.blob.core.windows.net: {3}
security.ssl.rest.keystore-pasword: {4}
state.checkpoints.dir: s3://u:{5}@host/x
: {6}
s3.access-key:
  {7}
# s3.secret-key: {8}
s3.secret-key	{9}
- s3.secret-key: {10}
web.upload.dir: /tmp/{1}
env.java.opts: -Dpassword={11} -Dtokn={12}
rest.port {13}: s3.secret-key {13}
"""
COMPOSE = """services:
  jobmanager:
    image: flink:1.20
    command: jobmanager -Ds3.secret-key={0} -Drest.port={0}
    environment:
      AWS_SECRET_ACCESS_KEY: {1}
      DB_PASS: {2}
      FLINK_PROPERTIES: |
        jobmanager.rpc.address: jobmanager
        s3.secret-key {3}
        s3.access-key={4}
        : {5}
        security.ssl.rest.key-pasword: {6}
        parallelism.default: {6}
        fs.s3a.endpoint: u:{7}@minio
"""
MANIFEST = """apiVersion: v1
kind: ConfigMap
metadata: {{name: flink-config}}
data:
  flink-conf.yaml: |
    s3.secret-key {0}
    s3.access-key={1}
    : {2}
    rest.port: u:{3}@x
    s3.acess-key: {4}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: jm}}
spec:
  template:
    spec:
      containers:
        - name: jobmanager
          image: flink:1.18.0
          args: ["jobmanager", "-Ds3.secret-key={5}", "--password", "{6}"]
          env:
            - name: AWS_SECRET_ACCESS_KEY
              value: "{7}"
            - {{name: DB_PASWORD, value: "{8}"}}
"""
PROPERTIES = """state.backend=rocksdb
s3.secret-key {0}
s3.secert-key={1}
parallelism.default={1}
kafka.sasl.jaas.config=x.PlainLoginModule required username="u" password="{2}";
db.url=jdbc:x://u:{3}@h/d
sas=https://a.blob.core.windows.net/c?sv=1&sig={4}
"""
LITERALS = {
    "Job.java": PROGRAM, "job.py": PYTHON, "job.sql": SQL, "flink-conf.yaml": CONF, "docker-compose.yml": COMPOSE,
    "manifest.yaml": MANIFEST, "job.properties": PROPERTIES,
}  # fmt: skip
"""The text of each file by name, with placeholders for secrets."""


def literal(name: str) -> Planted:
    """Return the text of one of `LITERALS` with its secrets."""
    secrets = [f"hush{number:02}x7f3aQQ99" for number in range(14)]
    text = LITERALS[name].format(*secrets)
    return Planted(text, tuple((f"{name} {secret}", secret) for secret in secrets if secret in text))
