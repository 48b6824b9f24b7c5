#include "index/stop_words.hpp"

#include <algorithm>
#include <iterator>

namespace crawler {
namespace {

struct StopList {
  LanguageCode code;
  std::string_view words;
};

// Short lists on purpose: a word left out costs a little space, a word too many a page not found.
constexpr StopList kLists[] = {
    {"en",
     "a about after all also an and any are as at be because been before being between both but by "
     "can cannot could did do does doing don't done down each few for from further had has have "
     "having he her here hers him his how i if in into is isn't it its itself just may me might "
     "more most must my no nor not of off on once only or other our out over own same she should "
     "so some such than that the their them then there these they this those through to too under "
     "until up upon us very was we were what when where which while who whom whose why will with "
     "would you your doesn't can't won't e.g i.e"},
    {"ar",
     "في من على إلى عن مع هذا هذه ذلك تلك التي الذي الذين و أو ثم أن إن لا ما لم لن كان كانت يكون "
     "هو "
     "هي هم نحن أنا أنت كل بعض قد بين بعد قبل عند حتى إذا كما لكن"},
    {"bg",
     "и в на за от с да се е са не по до при като или но че това този тази тези той тя то те ние "
     "вие "
     "аз ти ще без след преди между във със което който която които как кога къде"},
    {"ca",
     "a al als amb aquest aquesta aquests aquestes com d de del dels el ella ells els en entre era "
     "es és esta està han ha hi ho i jo l la les li lo més mes molt no nos o on per perquè però "
     "que "
     "què qui s se sense ser si seva seu són també un una uns unes us va"},
    {"cs",
     "a aby ale ani až bez by byl byla bylo být co do i j je jeho její jejich jen ještě již jsem "
     "jsou k kde kdo když která které který mezi mi na nad ne nebo než o od on ona oni po pod pro "
     "protože před při s se si sice tak také ten to tom u už v ve z za ze že"},
    {"da",
     "af alle alt at blev bliver da de dem den denne der deres det dette dig din disse du efter "
     "eller en er et for fra få ham han hans har havde hende hendes her hos hun hvad hvis hvor "
     "hvordan "
     "i ikke ind jeg jer kan kunne man med meget men mig min mod ned noget nogle nu når og også om "
     "op os over på sig sin skal skulle som så til ud under var ved vi vil ville være"},
    {"de",
     "aber alle allem allen aller alles als also am an auch auf aus bei bin bis da dadurch damit "
     "dann das dass dein dem den denn der des dessen die dies diese diesem diesen dieser dieses "
     "dir "
     "doch dort du durch ein eine einem einen einer eines er es etwas euch für gegen hab habe "
     "haben "
     "hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist "
     "ja "
     "jede jeden jeder jedes kann kein keine können man mein mich mir mit nach nicht nichts noch "
     "nun "
     "nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so soll sollte um und "
     "uns "
     "unser unter vom von vor war waren warum was weil welche welcher wenn wer werde werden wie "
     "wir "
     "wird wo wurde wurden zu zum zur zwischen über"},
    {"el",
     "ο η το οι τα του της των τον την και κι κ ή να δεν δε μη μην που πως σε στο στη στην στον "
     "στα "
     "στις στους με για από απο ως είναι ήταν θα ότι αν όταν αλλά όπως αυτό αυτός αυτή αυτά εγώ "
     "εσύ "
     "εμείς εσείς ένας μια ένα πολύ κατά μετά πριν μου σου μας σας τους"},
    {"es",
     "a al algo ante antes aquel aquella como con contra cual cuando de del desde donde dos "
     "durante "
     "e el él ella ellas ellos en entre era eran es esa ese eso esta está estaba están este esto "
     "estos estas fue fueron ha había han hasta hay la las le les lo los más me mi mientras muy "
     "nada "
     "ni no nos nosotros o os otra otro para pero poco por porque que qué quien se sea ser si sí "
     "sin "
     "sobre son su sus también tan tanto te tiene todo todos tu tus un una uno unos usted y ya yo"},
    {"eu",
     "eta edo ez da dira zen ziren du dute izan baina ere hau hori hura hauek horiek bat batzuk "
     "nola non noiz zer zein nor ni zu gu zuek bere haien oso baino beste egin dago daude den "
     "dela"},
    {"fa",
     "و در به از که این آن را با برای است بود شد می تا هم یا اگر اما هر بر خود ما من تو او شما "
     "آنها "
     "نیز پس هیچ چه چون نه باید کرد شود دارد"},
    {"fi",
     "ei eivät en että he hän ja jo joka jos jotka kaikki kanssa kuin kun koska me mikä missä mitä "
     "mukaan mutta myös ne niin nämä ole oli olivat olla on ovat se sekä sen sitä siitä siinä "
     "sillä "
     "tai tämä tämän tätä te tuo vaan vai vain voi"},
    {"fr",
     "à afin ai ainsi alors après au aucun aussi autre aux avaient avait avant avec avoir car ce "
     "cela ces cet cette ceux chez ci comme dans de des donc dont du elle elles en encore entre "
     "est "
     "et étaient était étant été être eux fait faut il ils j je jusqu l la là le les leur leurs "
     "lui "
     "m ma mais me même mes moi moins mon n ne ni nos notre nous on ont ou où par parce pas peu "
     "peut "
     "plus pour pourquoi qu quand que quel quelle quelles quels qui s sa sans se sera ses si sinon "
     "soit son sont sous sur t ta tandis te tes toi ton tous tout toute toutes très tu un une vos "
     "votre vous y"},
    {"ga",
     "a ach ag agus an ann ar as ba bhí bhfuil dá de do don é faoi go í iad in is le leis mar mé "
     "mo "
     "muid na nach ní nó ó ón roimh sa san sé seo sí sin sna so tá thar thú tú trí um"},
    {"he",
     "של את על לא הוא היא הם הן אני אתה את אנחנו זה זאת זו אלה כי אם או גם רק אבל עם אל מן בין כל "
     "יש "
     "אין היה היו להיות אשר מה מי איך כמו עד יותר כך"},
    {"hi",
     "के का की को में से है हैं था थे थी और या यह वह ये वे इस उस इन उन एक पर ने तो भी ही कि जो हो कर "
     "लिए साथ अपने होता होती होते गया करने नहीं क्या जैसे तक मैं हम आप तुम"},
    {"hu",
     "a abban ahhoz ahol aki akik akkor ami amíg amikor annak arra az azért azok azon azt aztán "
     "azzal "
     "be bár benne csak de e egy egyéb el ellen én és ez ezek ezen ezért ezt fel ha hanem hiszen "
     "hogy "
     "hogyan igen így is itt jó kell két ki ki le lehet lenne lesz lett már még meg mely mert mi "
     "míg "
     "minden mint most na nagyon ne nem nincs ők olyan ő össze pedig s saját sem sok szerint te "
     "tehát "
     "több úgy után utána vagy való valami van volt volna voltak"},
    {"hy",
     "և ու կամ է են էր էին եմ ես եք ենք այս այդ այն իր նրա նրանք նա մենք դուք որ որը որոնք ինչ ի "
     "մեջ "
     "հետ համար մասին վրա ըստ բայց չէ"},
    {"id",
     "ada adalah agar akan aku anda antara apa atau bagi bahwa banyak belum bisa bukan dalam dan "
     "dapat dari dengan di dia hanya harus ini itu jika juga kami kamu karena ke kepada kita lagi "
     "lain lebih maka mereka namun oleh pada para pun saat saja sampai sangat saya sebagai sebuah "
     "secara sedang seperti serta setelah suatu sudah telah tersebut tetapi tidak untuk yaitu "
     "yang"},
    {"it",
     "a ad agli ai al alla alle allo anche c che chi ci come con contro cui d da dagli dai dal "
     "dalla "
     "dalle dallo degli dei del della delle dello di dove e è ed era erano essere fra gli ha hai "
     "hanno ho i il in io l la le lei li lo loro lui ma mi mia mio ne negli nei nel nella nelle "
     "nello "
     "no noi non nostro o ogni per perché più può quale quando quanto quella quelle quelli quello "
     "questa queste questi questo qui se sei si sia sono sta su sua sue sugli sui sul sulla sulle "
     "suo "
     "suoi te ti tra tu tutti tutto un una uno vi voi"},
    {"ja",
     "の は が を に で と も へ や か から まで より です ます た て し な だ ある いる する れる "
     "られる この その あの これ それ あれ ここ そこ こと もの ため よう ない など また および "
     "について として による において"},
    {"ko",
     "은 는 이 가 을 를 의 에 에서 와 과 도 로 으로 그리고 또는 그 이것 저것 것 수 등 및 더 한 "
     "하는 "
     "있는 있다 없는 한다 합니다 입니다"},
    {"lt",
     "aš ar ant apie be bet bei buvo būti dar dėl iki ir iš jau jei ji jis jie jo jos jų ją juos "
     "kad "
     "kai kaip kas kur kuri kuris kurie labai mes mus nes nei nebuvo ne nuo o pagal pas per po "
     "prie "
     "prieš su savo ta tai taip tas tik to tu tuo už visi yra į"},
    {"ne",
     "र को का की मा ले लाई छ छन् थियो हो यो त्यो यी ती एक पनि भने गर्न गरेको भएको गर्ने हुन् हुने "
     "बाट सँग लागि तर वा अनि के हामी म तपाईं"},
    {"nl",
     "aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus "
     "een "
     "en er ge geen geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik in "
     "is "
     "ja je kan kon kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om "
     "omdat "
     "onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor want waren was wat "
     "we wel werd wezen wie wij wil worden wordt zal ze zei zelf zich zij zijn zo zonder zou"},
    {"no",
     "alle at av bare begge ble blei bli blir da de deg dei deira dem den denne der dere deres det "
     "dette di din disse du eg ein eit eller en enn er et etter for fordi fra før ha hadde ham han "
     "hans har henne hennes her hun hva hvem hvis hvor hvordan i ikke ikkje inn ja jeg kan kunne "
     "man "
     "med meg meget men mer min mot mye nå når ned noe noen og også om opp oss over på seg selv si "
     "sin skal skulle som så til um under ut uten var ved vi vil ville være"},
    {"pl",
     "a aby ale bez być był była było były bardzo ci co czy dla do gdy gdzie go i ich im ja jak "
     "jako "
     "je jego jej jest jeszcze jeśli już każdy kiedy która które który ma mi może można my na nad "
     "nie "
     "niż o od on ona one oni oraz po pod przed przez przy się są ta tak także tam te tego tej ten "
     "to "
     "tu ty tych tylko tym u w wam we więc z za ze że"},
    {"pt",
     "a à ao aos aquela aquele aquilo as até com como da das de dela dele deles depois do dos e é "
     "ela "
     "elas ele eles em entre era essa essas esse esses esta está estão estas este estes eu foi "
     "foram "
     "há isso isto já lhe lhes mais mas me mesmo meu minha muito na não nas nem no nos nós o os ou "
     "para pela pelas pelo pelos por porque qual quando que quem se sem ser será seu seus só sua "
     "suas "
     "também te tem têm tu um uma umas uns você vocês vos"},
    {"ro",
     "a acea aceasta această aceste acest acesta ai al ale am ar are as asta au avea ca că când "
     "care "
     "ce cei cel cele cine cu cum da dacă dar de deci din după ea ei el ele era este eu fi fie "
     "fost "
     "iar ii îi în între la le lor lui mai mea mult ne nici noi nu o ori pe pentru prin sa să sau "
     "se "
     "si și sunt te tu un una unde unei unor unui va voi"},
    {"ru",
     "а без более бы был была были было быть в вам вас во вот все всё всех вы где да даже для до "
     "его "
     "ее её если есть еще ещё же за и из или им их к как какой когда кто ли либо мне может мой мы "
     "на "
     "над надо нас не него нее ней нет ни них но ну о об однако он она они оно от по под при про с "
     "со "
     "так также такой там те тем то того тоже той только том ты у уже хотя чего чем что чтобы чье "
     "эта "
     "эти это этого этой этом этот я"},
    {"sr",
     "a ali ako bez bi bio bila bilo biti da do ga gde i ih ili iz ja je jer jeste još kad kada "
     "kako "
     "kao koja koje koji k mi na nad ne nego nije o od on ona oni ono po pod pre pri sa samo se si "
     "su "
     "što ta taj te ti to tu u uz va vi već za а али ако без би био била било бити да до га где и "
     "их "
     "или из ја је јер још кад када како као која које који ми на над не него није о од он она они "
     "оно "
     "по под пре при са само се си су што та тај те ти то ту у уз ви већ за"},
    {"sv",
     "alla allt att av bara blev bli blir då de dem den denna deras dess dessa det detta dig din "
     "du "
     "där efter eller en er ett från för ha hade han hans har henne hennes hon honom hur här i "
     "icke "
     "inte ja jag kan kunde man med mellan men mig min mot mycket ni nu när någon något några och "
     "också om oss på sedan sig sin sina ska skulle som så till under upp ur ut utan vad var vara "
     "vi vid vilka vilken vill är över"},
    {"ta",
     "ஒரு என்று மற்றும் இந்த இது அது அந்த அவர் அவர்கள் அவன் அவள் நான் நீ நாம் என்ற என உள்ள இருந்து "
     "ஆனால் அல்லது போன்ற மிக பின்னர் மேலும் கொண்டு தான் வரை"},
    {"tr",
     "ama ancak artık bazı belki ben beni bir biri birkaç biz bu buna bunu bunun çok çünkü da daha "
     "de "
     "defa diye en gibi göre hem hep hepsi her hiç için ile ise kadar ki kim mı mi mu mü nasıl ne "
     "neden nerede niye o olan olarak olduğu oldu on ona onlar onu onun sanki sen siz şey şu tüm "
     "ve "
     "veya ya yani"},
    {"uk",
     "а або але без би був була були було бути в вам вас він вона вони все всі для до за з зі і із "
     "й "
     "його її їх коли ми на над не ні о по при про та так також те ти то тільки у це цей ця ці чи "
     "що "
     "щоб як який яка які я"},
    {"yi",
     "און אין איז די דער דאָס דעם צו פֿון מיט אַז אויף נישט ניט ער זי זיי איך דו מיר איר וואָס ווי "
     "אויך "
     "אָבער אָדער ביי נאָך האָט זענען געווען אַ אַן"},
    {"zh",
     "的 了 是 在 和 与 與 或 及 也 都 就 而 但 这 這 那 一个 一個 我 你 他 她 它 我们 我們 你们 "
     "他们 "
     "他們 不 有 之 其 以 为 為 被 把 对 對 从 從 到 于 於 上 下 中 等 会 會 可以 如果 因为 因為 "
     "所以"},
};

}  // namespace

std::string_view StopWords(LanguageCode code) {
  const auto* found = std::find_if(std::begin(kLists), std::end(kLists),
                                   [&](const StopList& list) { return list.code == code; });
  return found != std::end(kLists) ? found->words : std::string_view();
}

}  // namespace crawler
